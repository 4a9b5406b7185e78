#pragma once
// Fast, deterministic tests of workflows: a store in memory, a clock that skips waiting time, crashes at
// every durable point, and replays of recorded histories against changed code.
//
//   pawl::testing::Environment env;
//   pawl::Worker worker{env.client()};
//   worker.workflow("reminder", reminder);
//   worker.start();
//   env.client().start("reminder", order).result<std::string>();   // a sleep of a week takes milliseconds
//
//   pawl::testing::Ledger ledger;
//   pawl::testing::crash_everywhere([&](pawl::Workflow& wf, const Order& order) { … }, order, {.ledger =
//   &ledger});
//
// A failed check throws Mismatch, which every test framework reports.

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

// A check of a test has failed.
class Mismatch : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Stands for an outside service in a test: records the effects of steps, undos and tasks, and deduplicates
// them by their operation keys. Thread-safe.
class Ledger {
 public:
  struct Entry {
    std::string key;  // the operation key; for an effect outside of steps, the run id
    std::string effect;
    // The workflow's own code wrote it, so each replay of the code writes it again.
    bool is_outside_step = false;

    bool operator==(const Entry&) const = default;
  };

  // Records an effect of the step whose function runs on this thread.
  void write(const Workflow& wf, std::string effect);
  void write(const Step& step, std::string effect) { add({step.operation_key(), std::move(effect)}); }
  void write(const Task& task, std::string effect) { add({task.operation_key(), std::move(effect)}); }

  // The effects in order, without repeated effects that a service recognizes by their key. Effects outside
  // of steps are never deduplicated.
  [[nodiscard]] std::vector<std::string> effects() const;
  // All entries, also the repeated ones.
  [[nodiscard]] std::vector<Entry> all() const;
  void clear();

 private:
  void add(Entry entry);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

// Where a simulated process crashes: at the n-th durable write of a task or a workflow.
struct Crash {
  enum class Side : std::uint8_t { before, after };

  int point = 0;             // the first is 1; 0: no crash
  Side side = Side::before;  // after: the write is durable, but its reply is lost
};

// A store in memory with a clock of its own. The clock stands still, except while a caller waits for a run
// (Run::result, Run::wait): then, whenever no work can be done, it skips to the next due timer. After a crash
// the clock also skips to the expiry of the crashed worker's leases, so that its tasks are claimed again.
class Environment {
 public:
  explicit Environment(Crash crash = {});
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();

  [[nodiscard]] const Client& client() const { return client_; }
  // pawl::connect() with this address returns a client of this environment, for code that connects on its
  // own.
  [[nodiscard]] const std::string& address() const { return address_; }

  // The time of the environment's clock, which is the store time of its client.
  [[nodiscard]] TimePoint now() const;
  // Moves the clock forward.
  void advance(Duration time);
  // Waits until no work can be done at the current time. Throws Mismatch after `timeout` of real time.
  void settle(Duration timeout = std::chrono::seconds{30});

  // The number of durable points so far, including the one that crashed.
  [[nodiscard]] int points() const;
  // Whether the crash has happened.
  [[nodiscard]] bool has_crashed() const;
  // From now on, done_again() checks this ledger: it returns the effects that were written again after the
  // crash although their step or task was durable before it.
  void watch(const Ledger& ledger);
  [[nodiscard]] std::vector<std::string> done_again() const;
  // How the code of a paused run differs from its history: "expected step 'reserve', found 'book'". Waiting
  // for any run of this environment then throws it as a Mismatch.
  [[nodiscard]] std::optional<std::string> nondeterminism() const;

 private:
  std::shared_ptr<detail::TestConnection> connection_;  // shared with the clients
  Client client_;
  std::string address_;
};

// Options of crash_everywhere and crash_everywhere_in.
struct CrashOptions {
  Ledger* ledger = nullptr;  // the ledger that the workflow writes to
  // Registers the tasks and other workflows that the workflow uses.
  std::function<void(Worker&)> handlers = {};
  std::function<void(const Run&)> drive = {};   // drives the run from outside, for example with signals
  bool in_order = true;                         // false: effects of branches may come in any order
  Duration timeout = std::chrono::seconds{60};  // for one run, in real time
};

// The result of a run without a crash; all other runs had the same.
struct CrashReport {
  int points = 0;  // the durable points; each was crashed before and after its write
  std::string result = {};
  std::vector<std::string> effects = {};
};

// Runs `program` once without a crash, then twice for each durable point: with a crash before the write and
// with a crash after it. The result and the effects must be the same each time, and nothing durable may be
// repeated; otherwise it throws Mismatch. Effects outside of steps and nondeterministic code are reported
// immediately, without waiting for `timeout`.
CrashReport crash_everywhere_in(const std::function<std::string(Environment&)>& program,
                                const CrashOptions& options = {});

namespace detail {
// How a run ended: its output as JSON, or its state and error as text.
[[nodiscard]] std::string end_of(const Run& run, Duration timeout);
}  // namespace detail

// Runs crash_everywhere_in for one workflow, given as a lambda that Worker::workflow accepts.
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

// Exports a run with its input, steps and end as JSON. Store it in a file beside the test.
[[nodiscard]] std::string export_history(const Run& run);

namespace detail {
void replay_history(const std::string& history, const pawl::detail::WorkflowHandler& handler);
}

// Replays the workflow over a history without calling any step's function. Throws Mismatch if the code
// reaches a different step than the run did ("expected step 'reserve', found 'book'"), or ends differently.
template <typename Call>
void replay(const std::string& history, Call workflow) {
  detail::replay_history(history, pawl::detail::make_handler<Workflow>(std::move(workflow)));
}

}  // namespace pawl::testing
