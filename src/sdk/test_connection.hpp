#pragma once
// The implementation of pawl::testing::Environment: an engine in this process on a store in memory, a clock
// that moves only by skips, and a layer in front of the engine that injects crashes.
//
// A crash looks to the store like a real one: the call does not arrive, or its reply is lost, and from then
// on nothing arrives from the claims that were held. After that, the worker of this process acts as a new
// worker.

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pawl/testing.hpp"
#include "runtime/polling_thread.hpp"
#include "sdk/connection.hpp"

namespace pawl::testing::detail {

// Only the calendar time is simulated. The monotonic time, which measures waits and leases in this process,
// is real.
class SkippingClock final : public core::Clock {
 public:
  [[nodiscard]] core::TimePoint now() override;
  [[nodiscard]] core::MonotonicTime monotonic() override { return real_.monotonic(); }
  // Skipped time counts as elapsed; it is not a clock step.
  [[nodiscard]] core::MonotonicTime elapsed() override {
    return core::MonotonicTime{now().time_since_epoch()};
  }
  void skip_to(core::TimePoint time);  // never moves back

 private:
  runtime::SystemClock real_;
  std::mutex mutex_;
  core::TimePoint now_{std::chrono::hours{24 * 365 * 30}};  // an arbitrary time close to the year 2000
};

class TestConnection final : public pawl::detail::Connection {
 public:
  explicit TestConnection(Crash crash);
  TestConnection(const TestConnection&) = delete;
  TestConnection& operator=(const TestConnection&) = delete;
  ~TestConnection() override;

  [[nodiscard]] pawl::detail::Calls calls() override { return pawl::detail::Calls{api_}; }
  [[nodiscard]] pawl::detail::Calls own_calls(core::Duration) override { return calls(); }
  [[nodiscard]] core::Duration claim_wait() const override { return std::chrono::milliseconds{20}; }
  [[nodiscard]] core::Duration suspend_after(core::Duration) const override { return core::Duration{0}; }
  // The durable points of a test must not depend on how fast it runs.
  [[nodiscard]] bool shows_started_steps() const override { return false; }
  [[nodiscard]] std::shared_ptr<void> waiting(const core::RunId& run) override;
  [[nodiscard]] core::Duration result_wait() const override { return std::chrono::milliseconds{50}; }
  void check_wait() override;  // throws Mismatch if a run is parked
  [[nodiscard]] std::optional<std::string> why_no_sql() const override {
    return "a test's store is in memory, which takes no SQL";
  }
  [[nodiscard]] core::Result<std::optional<core::StepsWritten>> transact(const StepsWork& work) override;

  [[nodiscard]] SkippingClock& skipping() { return static_cast<SkippingClock&>(clock()); }
  // Whether no work can be done now: everything waits for time or for a call from outside.
  [[nodiscard]] bool is_idle();

  [[nodiscard]] int points();
  [[nodiscard]] bool has_crashed();
  void watch(const Ledger& ledger);
  [[nodiscard]] std::vector<std::string> done_again();
  [[nodiscard]] std::optional<std::string> nondeterminism();

 private:
  using Held = std::pair<core::TaskId, std::int64_t>;  // a task and its fence

  // The layer in front of the engine.
  void submit(core::Command command, core::Reply reply);
  void submit_claim(core::Command command, const core::Reply& reply);
  void submit_report(core::ReportTasks command, const core::Reply& reply);
  void submit_steps(core::WriteSteps command, const core::Reply& reply);
  // Whether the process crashes at this point, and on which side of it.
  [[nodiscard]] std::optional<Crash::Side> next_point();
  void crash();
  [[nodiscard]] bool is_dead(const Held& held);
  void note_durable(const std::string& key);
  void note_completed(const core::TaskId& task);
  void note_parked(const core::RunId& run, const std::string& why);

  int skip();
  [[nodiscard]] bool is_any_awaited();  // an awaited run that has not ended
  [[nodiscard]] std::optional<core::TimePoint> next_due();

  const Crash crash_;
  std::mutex mutex_;  // guards the members down to the store
  std::multiset<core::RunId> awaited_;
  int points_ = 0;
  bool has_crashed_ = false;
  std::set<Held> held_;
  std::set<Held> dead_;
  std::map<core::TaskId, std::string> task_keys_;  // operation keys of claimed tasks
  std::map<core::RunId, std::string> parked_;      // runs whose code differs from their history, and how
  std::set<std::string> durable_;                  // operation keys of completed steps and tasks
  std::set<std::string> durable_at_crash_;         // those at the time of the crash
  const Ledger* ledger_ = nullptr;
  std::size_t written_at_crash_ = 0;

  std::unique_ptr<store::Store> store_;
  runtime::Runtime runtime_;
  runtime::LocalApi api_;
  runtime::PollingThread skipper_;  // last, because it uses the others
};

// Finds the environment with this address; null for other addresses.
[[nodiscard]] std::shared_ptr<pawl::detail::Connection> find_test_connection(const std::string& address);
// Gives the connection an address, which is valid as long as the connection exists.
[[nodiscard]] std::string register_test_connection(const std::shared_ptr<TestConnection>& connection);

}  // namespace pawl::testing::detail
