#pragma once
// What the callers of a campaign were told and what their workers did, kept outside of any store: the truth
// that the store is compared with at the end. Any thread.

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

// A time in which a worker surely had the lease: from when it was told until it gave it back, or until the
// lease's length after it asked. The lease itself began earlier and ended later, so that two of these overlap
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

// What kind of promise was broken: acknowledged work is gone or never ended; a result was recorded twice, or
// two had a valid lease at once; or any other.
enum class Harm : std::uint8_t { lost, doubled, wrong };

// One broken promise, and the fault during or after which it was found; kWholeCampaign where no fault can be
// named.
struct Violation {
  Harm harm = Harm::wrong;
  std::string fault = {};
  std::string text = {};
};
inline constexpr const char* kWholeCampaign = "whole campaign";

// Both with when they were acknowledged.
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
  // What goes wrong from now on. Violations are attributed to it until the next fault begins, since their
  // cause may be seen only after the fault has ended.
  void fault_begins(std::string_view fault);
  // Every fault has ended, and load was added without any for a while: from here on the whole campaign is
  // compared.
  void faults_are_over();
  // The fault's cause is gone, and every affected node has written since.
  void fault_recovered(std::string_view fault, std::chrono::milliseconds time);

  // What is acknowledged from here until the end of the tail may be lost: nothing that was acknowledged
  // before.
  void lost_tail_begins();
  void lost_tail_ends();
  [[nodiscard]] bool may_be_lost(Time acknowledged) const;

  // Nothing can be made durable from now on: an acknowledged write whose call is made before
  // `may_acknowledge` is a violation.
  void must_not_acknowledge();
  void may_acknowledge();
  // A write that was asked for at that time was acknowledged now.
  void acknowledged(Time asked_at);
  // A lease that stands still for longer than `most` after its end is a violation: a clock was stepped.
  void limit_standstill(std::chrono::milliseconds most);

  // Acknowledged.
  void enqueued(const std::string& task);
  void started(const std::string& run, bool must_fail);
  void completed(const std::string& task, std::int64_t fence);
  // The answer to a claim, whose lease does not end before `lease_end`.
  void claimed(const std::string& task, std::int64_t fence, Time lease_end);
  void held(Hold hold);
  // A worker died with it; nobody will report on it before `lease_end`.
  void abandoned(const std::string& task, Time lease_end);
  // A report after the lease of a claim had expired, and whether it was accepted. Where the claim was lost,
  // the same worker may have claimed the task again at the same fence.
  void reported_late(const std::string& task, Time claimed_at, bool was_accepted);
  void recovered(const std::string& what, std::chrono::milliseconds time);
  // Nothing goes wrong from now on: what recoveries take is told apart.
  void calm();

  void violation(Harm harm, std::string text);
  void count(const std::string& what, std::int64_t by = 1);

  // From here on when everything has ended.
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
  [[nodiscard]] bool is_in_lost_tail(Time time) const;  // the mutex is held

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
  void add_violation(Harm harm, std::string text) {  // the mutex is held
    violations_.push_back({.harm = harm, .fault = fault_, .text = std::move(text)});
  }

  std::string fault_ = kWholeCampaign;
  std::vector<Violation> violations_;
  std::map<std::string, std::int64_t> counts_;
  std::map<std::string, std::vector<std::chrono::milliseconds>> recoveries_;
  std::map<std::string, std::vector<std::chrono::milliseconds>> fault_recoveries_;
};

// The most that were held at one instant.
[[nodiscard]] std::int64_t most_at_once(const std::vector<Hold>& holds);

}  // namespace pawl::chaos
