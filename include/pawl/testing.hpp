#pragma once
// Tests of workflows without waiting and without luck: a store in memory, a clock that skips what nobody
// needs to wait for, crashes at every point where something is made durable, and the histories of real runs
// replayed against changed code.
//
//   pawl::testing::Environment env;
//   pawl::Worker worker{env.client()};
//   worker.workflow("reminder", reminder);
//   worker.start();
//   env.client().start("reminder", order).result<std::string>();   // a week's sleep is over at once
//
//   pawl::testing::Ledger ledger;
//   pawl::testing::crash_everywhere([&](pawl::Workflow& wf, const Order& order) { … }, order, {.ledger =
//   &ledger});
//
// What does not hold throws Mismatch, which any test framework shows.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pawl/client.hpp>
#include <pawl/task.hpp>
#include <pawl/worker.hpp>
#include <pawl/workflow.hpp>

namespace pawl::testing {

namespace detail {
class TestConnection;
}

class Mismatch : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// An outside service for tests: records the effects of steps, undos and tasks, and deduplicates them by their
// operation keys. Any thread.
class Ledger {
 public:
  struct Entry {
    std::string key;  // the operation key; outside of steps the run's id
    std::string effect;
    // The workflow wrote it itself, so every further run of its code writes it again.
    bool is_outside_step = false;

    bool operator==(const Entry&) const = default;
  };

  // For the step whose function runs on this thread.
  void write(const Workflow& wf, std::string effect);
  void write(const Step& step, std::string effect) { add({step.operation_key(), std::move(effect)}); }
  void write(const Task& task, std::string effect) { add({task.operation_key(), std::move(effect)}); }

  // Without the repetitions that a service recognizes by the key. An effect outside of steps has no key.
  [[nodiscard]] std::vector<std::string> effects() const;
  [[nodiscard]] std::vector<Entry> all() const;
  void clear();

 private:
  void add(Entry entry);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

// Where a process is to die: at the n-th thing that is made durable for a task or a workflow, from 1.
struct Crash {
  enum class Side : std::uint8_t { before, after };

  int point = 0;             // 0: nowhere
  Side side = Side::before;  // after: it is durable, and nobody was told
};

// A store in memory and a clock of its own. Time stands still, but while somebody waits for a run
// (Run::result, Run::wait): then, whenever nothing is left to be done now, it skips to the next thing that is
// due. What has crashed is claimed again when its lease is over, which is skipped too.
class Environment {
 public:
  explicit Environment(Crash crash = {});
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();

  [[nodiscard]] const Client& client() const { return client_; }
  // pawl::connect() with it gives the same, for programs that connect by themselves.
  [[nodiscard]] const std::string& address() const { return address_; }

  [[nodiscard]] TimePoint now() const;
  void advance(Duration time);
  // Waits until nothing is left to be done now. Throws Mismatch after `timeout` of real time.
  void settle(Duration timeout = std::chrono::seconds{30});

  // What was made durable so far, or was about to be when it crashed.
  [[nodiscard]] int points() const;
  [[nodiscard]] bool has_crashed() const;
  // From now on: what of it was there when it crashed, and came again though it was durable.
  void watch(const Ledger& ledger);
  [[nodiscard]] std::vector<std::string> done_again() const;
  // How the code of a parked run differs from its history: "expected step 'reserve', found 'book'". Waiting
  // for any run of this environment throws it as a Mismatch.
  [[nodiscard]] std::optional<std::string> nondeterminism() const;

 private:
  std::shared_ptr<detail::TestConnection> connection_;  // shared with the clients
  Client client_;
  std::string address_;
};

struct CrashOptions {
  Ledger* ledger = nullptr;                     // that the workflow writes to
  std::function<void(Worker&)> handlers = {};   // adds the tasks and other workflows that it uses
  std::function<void(const Run&)> drive = {};   // what somebody does while it runs, such as signals
  bool in_order = true;                         // false: effects of branches may come in any order
  Duration timeout = std::chrono::seconds{60};  // of one run, in real time
};

struct CrashReport {
  int points = 0;  // at each of which it crashed twice: before and after
  std::string result = {};
  std::vector<std::string> effects = {};
};

// Runs `program` whole, then once for each durable point with a crash before and one with a crash after it.
// What it gives and the effects must be the same each time, and nothing that was durable may be done again.
// Effects outside of steps and code that is not deterministic are reported without waiting for `timeout`.
CrashReport crash_everywhere_in(const std::function<std::string(Environment&)>& program,
                                const CrashOptions& options = {});

namespace detail {
// How a run ended: what it gave, or how it failed.
[[nodiscard]] std::string end_of(const Run& run, Duration timeout);
}  // namespace detail

// The same for a workflow: a lambda as Worker::workflow takes it.
template <typename Call, typename Input>
CrashReport crash_everywhere(Call workflow, const Input& input, const CrashOptions& options = {}) {
  return crash_everywhere_in(
      [&](Environment& env) {
        Worker worker{env.client(), {.log = [](const std::string&) {}}};
        worker.workflow("workflow", workflow);
        if (options.handlers) options.handlers(worker);
        worker.start();
        const Run run = env.client().start("workflow", input);
        if (options.drive) options.drive(run);
        return detail::end_of(run, options.timeout);
      },
      options);
}

// A run with its input, its steps and its end, as JSON to be kept in a file beside the test.
[[nodiscard]] std::string export_history(const Run& run);

namespace detail {
void replay_history(const std::string& history, const pawl::detail::WorkflowHandler& handler);
}

// Runs the workflow over the steps of a history; no step's function is called. Throws Mismatch where the code
// comes to another step than the run did ("expected step 'reserve', found 'book'"), or ends otherwise.
template <typename Call>
void replay(const std::string& history, Call workflow) {
  detail::replay_history(history, pawl::detail::make_handler<Workflow>(std::move(workflow)));
}

}  // namespace pawl::testing
