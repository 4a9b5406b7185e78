#pragma once
// The answers that a campaign's clients received and the actions of its workers, recorded outside of any
// store: the truth that the store is compared with at the end. Thread-safe.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::chaos {

using Time = std::chrono::steady_clock::time_point;

// A time in which a worker certainly had the lease: from the answer to its claim until its report, or until
// the lease's length after its request. The lease itself began earlier and ended later, so two holds overlap
// only if the leases did.
struct Hold {
  std::string task = {};
  std::int64_t fence = 0;
  std::string queue = {};
  std::string type = {};
  std::string key = {};
  Time from = {};
  Time until = {};
};

// The kind of broken promise. lost: acknowledged work is gone or never ended. doubled: a result was recorded
// twice, or two workers had a valid lease at the same time. wrong: any other.
enum class Harm : std::uint8_t { lost, doubled, wrong };

// One broken promise, and the fault during or after which it was found; kWholeCampaign if no single fault can
// be named.
struct Violation {
  Harm harm = Harm::wrong;
  std::string fault = {};
  std::string text = {};
};
inline constexpr const char* kWholeCampaign = "whole campaign";

// `at` is the time of the acknowledgment.
struct StartedRun {
  bool must_fail = false;
  Time at = {};
};
struct Completion {
  std::int64_t fence = 0;
  Time at = {};
};

class Ledger {
 public:
  // Marks the start of a fault. Violations are attributed to it until the next fault begins, since their
  // cause may become visible only after the fault has ended.
  void fault_begins(std::string_view fault);
  // Called after all faults ended and load ran without faults for a while: from here on, the whole campaign
  // is compared.
  void faults_are_over();
  // The fault's cause is gone, and every affected node has written since.
  void fault_recovered(std::string_view fault, std::chrono::milliseconds time);

  // Work acknowledged between these two calls may be lost. Work acknowledged before must not be.
  void lost_tail_begins();
  void lost_tail_ends();
  [[nodiscard]] bool may_be_lost(Time acknowledged) const;

  // Nothing can become durable from now on: an acknowledged write that is requested before `may_acknowledge`
  // is a violation.
  void must_not_acknowledge();
  void may_acknowledge();
  // A write that was requested at `asked_at` was acknowledged now.
  void acknowledged(Time asked_at);
  // A dead worker's lease that delays its task by more than `most` after its end is a violation: a clock was
  // stepped.
  void limit_standstill(std::chrono::milliseconds most);

  // These were acknowledged.
  void enqueued(const std::string& task);
  void started(const std::string& run, bool must_fail);
  void completed(const std::string& task, std::int64_t fence);
  // The answer to a claim whose lease does not end before `lease_end`.
  void claimed(const std::string& task, std::int64_t fence, Time lease_end);
  void held(Hold hold);
  // The worker died with the task: no report arrives before `lease_end`.
  void abandoned(const std::string& task, Time lease_end);
  // A report after a claim's lease had expired, and whether it was accepted. If the claim itself was lost,
  // the same worker may have claimed the task again at the same fence.
  void reported_late(const std::string& task, Time claimed_at, bool was_accepted);
  void recovered(const std::string& what, std::chrono::milliseconds time);
  // No faults from now on: recovery times are recorded separately.
  void calm();

  void violation(Harm harm, std::string text);
  void count(const std::string& what, std::int64_t by = 1);

  // The following is for the time after everything has ended.
  [[nodiscard]] const std::map<std::string, Time>& tasks() const { return enqueued_; }
  [[nodiscard]] const std::map<std::string, StartedRun>& runs() const { return runs_; }
  [[nodiscard]] const std::map<std::string, Completion>& completions() const { return completed_; }
  [[nodiscard]] const std::vector<Hold>& holds() const { return holds_; }
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] const std::map<std::string, std::vector<std::chrono::milliseconds>>& fault_recoveries()
      const {
    return fault_recoveries_;
  }
  [[nodiscard]] const std::map<std::string, std::int64_t>& counts() const { return counts_; }
  [[nodiscard]] const std::map<std::string, std::vector<std::chrono::milliseconds>>& recoveries() const {
    return recoveries_;
  }
  [[nodiscard]] std::int64_t count_of(const std::string& what) const;

 private:
  mutable std::mutex mutex_;
  [[nodiscard]] bool is_in_lost_tail(Time time) const;  // requires the mutex

  std::map<std::string, Time> enqueued_;
  std::map<std::string, StartedRun> runs_;
  std::map<std::string, Completion> completed_;                  // by task
  std::map<std::pair<std::string, std::int64_t>, Time> claims_;  // by task and fence
  std::vector<std::pair<Time, Time>> lost_tails_;
  Time nothing_durable_since_ = Time::max();
  std::chrono::milliseconds standstill_max_ = std::chrono::milliseconds::max();
  std::map<std::string, Time> abandoned_;
  Time calm_since_ = Time::max();
  std::vector<Hold> holds_;
  void add_violation(Harm harm, std::string text) {  // requires the mutex
    violations_.push_back({.harm = harm, .fault = fault_, .text = std::move(text)});
  }

  std::string fault_ = kWholeCampaign;
  std::vector<Violation> violations_;
  std::map<std::string, std::int64_t> counts_;
  std::map<std::string, std::vector<std::chrono::milliseconds>> recoveries_;
  std::map<std::string, std::vector<std::chrono::milliseconds>> fault_recoveries_;
};

// The maximum number of holds at the same instant.
[[nodiscard]] std::int64_t most_at_once(const std::vector<Hold>& holds);

}  // namespace pawl::chaos
