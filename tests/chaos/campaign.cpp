#include "tests/chaos/campaign.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "tests/chaos/checks.hpp"
#include "tests/chaos/faults.hpp"
#include "tests/chaos/leaders.hpp"
#include "tests/chaos/load.hpp"
#include "tests/chaos/store_watch.hpp"
#include "tests/support/stores.hpp"

namespace pawl::chaos {

namespace {

constexpr int kShownMax = 5;              // per shape of violation
constexpr std::chrono::seconds kCalm{4};  // load without faults, to measure undisturbed recoveries

constexpr std::chrono::seconds kStandstillMax{10};  // of a dead worker's lease after a clock step
constexpr const char* kLeadersFollowed = "leaders that followed another";

// A campaign must see each of these at least once: otherwise it passed without testing a promise.
constexpr std::array kMustBeSeen{"enqueues",
                                 "batches",
                                 "claims",
                                 "claims after a lost attempt",
                                 "workers that died with a task",
                                 "reports after the lease",
                                 "looks at the counts of a limited queue",
                                 "tasks examined",
                                 "leases under a limit",
                                 "limits that were reached",
                                 "runs examined",
                                 "slots fired",
                                 kLeadersFollowed,
                                 "stores verified"};

std::string title_of(const ClusterOptions& cluster) {
  switch (cluster.durability) {
    case Durability::synchronous: return to_string(cluster.kind);
    case Durability::asynchronous_standby: return to_string(cluster.kind) + " with an asynchronous standby";
    case Durability::not_flushed: return to_string(cluster.kind) + " with synchronous_commit = off";
  }
  return "";
}

void print_counts(const Ledger& ledger, const CallCounts& calls) {
  fmt::print("seen:\n");
  fmt::print("  {:>8}  calls answered\n  {:>8}  calls without an answer\n  {:>8}  calls refused for now\n",
             calls.answered.load(), calls.unknown.load(), calls.refused.load());
  for (const auto& [what, count] : ledger.counts()) fmt::print("  {:>8}  {}\n", count, what);
}

void print_recoveries(const Ledger& ledger) {
  fmt::print("recovery times in ms, half and all within:\n");
  for (const auto& [what, measured] : ledger.recoveries()) {
    auto times = measured;
    std::sort(times.begin(), times.end());
    fmt::print("  {:>6} {:>6}  {} ({})\n", times[times.size() / 2].count(), times.back().count(), what,
               times.size());
  }
}

void print_verified(const std::map<std::string, std::int64_t>& examined) {
  constexpr int kInLine = 8;
  fmt::print("pawl verify examined:");
  int printed = 0;
  for (const auto& [check, count] : examined) {
    fmt::print("{} {} {:>7}", printed % kInLine == 0 ? "\n" : "", check, count);
    ++printed;
  }
  fmt::print("\n");
}

std::vector<FaultScore> scores_of(const Faults& faults, const Ledger& ledger) {
  std::vector<std::pair<std::string, int>> landed;
  for (const auto& [fault, count] : faults.landed()) landed.emplace_back(name_of(fault), count);
  return score(landed, ledger.violations(), ledger.fault_recoveries());
}

// The text without words that contain digits (ids, numbers): violations of one shape have one cause.
std::string shape_of(const std::string& text) {
  std::istringstream words{text};
  std::string shape;
  for (std::string word; words >> word;)
    shape += std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })
                 ? "# "
                 : word + " ";
  return shape;
}

void print_violations(const std::vector<Violation>& violations) {
  std::map<std::string, int> shown;
  for (const Violation& violation : violations) {
    if (++shown[shape_of(violation.text)] <= kShownMax)
      fmt::print("VIOLATED: {} ({})\n", violation.text, violation.fault);
  }
  for (const auto& [shape, count] : shown) {
    if (count > kShownMax) fmt::print("and {} more: {}\n", count - kShownMax, shape);
  }
}

// Returns true if nothing was violated and nothing is missing.
bool print_verdict(const Campaign& campaign, const Faults& faults, const Ledger& ledger,
                   const CallCounts& calls) {
  std::vector<std::string> gaps;
  for (const auto& [fault, count] : faults.landed()) {
    if (count == 0) gaps.emplace_back(name_of(fault));
  }
  print_counts(ledger, calls);
  print_recoveries(ledger);
  const bool kills_leaders = faults.landed().contains(Fault::kill_the_leader);
  for (const char* what : kMustBeSeen) {
    if (ledger.count_of(what) == 0 && (kills_leaders || what != kLeadersFollowed)) gaps.emplace_back(what);
  }
  if (calls.unknown + calls.refused == 0) gaps.emplace_back("calls without an answer");
  if (campaign.cluster.durability == Durability::asynchronous_standby &&
      ledger.count_of(kLostWithTheTail) == 0)
    gaps.emplace_back(kLostWithTheTail);
  for (const std::string& gap : gaps) fmt::print("not seen: {}\n", gap);
  const auto& violations = ledger.violations();
  print_violations(violations);
  return gaps.empty() && violations.empty();
}

}  // namespace

Outcome run_campaign(const Campaign& campaign) {
  fmt::print("chaos on {}, seed {}, {} s under fire\n", title_of(campaign.cluster), campaign.seed,
             std::chrono::duration_cast<std::chrono::seconds>(campaign.time).count());
  std::fflush(stdout);
  const testing::TemporaryFolder folder;
  Ledger ledger;
  CallCounts calls;
  testing::SeededRandom seeds{campaign.seed};
  Cluster cluster{campaign.cluster, campaign.binary, folder.path()};
  const auto watch = watch_store(cluster);
  Load load{cluster, ledger, calls, seeds.next()};
  load.prepare();
  load.start();
  if (campaign.cluster.has_own_clock) ledger.limit_standstill(kStandstillMax);
  Faults faults{{cluster, ledger, calls}, seeds.next(), campaign.faults};
  faults.happen(campaign.time);
  ledger.calm();
  ledger.faults_are_over();
  std::this_thread::sleep_for(kCalm);

  Client client{cluster, calls, seeds.next()};
  Checks checks{client, ledger};
  load.stop_adding();
  checks.pause_schedules();
  checks.await_quiescence();
  load.stop();
  checks.tasks();
  checks.limits();
  checks.runs();
  checks.schedules();
  check_leaders(watch->leader_changes(), ledger);
  checks.leave_open_key();
  checks.verify(campaign.binary, cluster.store(), folder.path() + "/verify.log");
  print_verified(checks.verified());
  Outcome outcome{.is_well = print_verdict(campaign, faults, ledger, calls),
                  .scores = scores_of(faults, ledger)};
  fmt::print("{}", table_of(outcome.scores));
  fmt::print("{}\n\n",
             outcome.is_well ? "no promise was broken" : fmt::format("failed: seed {}", campaign.seed));
  std::fflush(stdout);
  return outcome;
}

}  // namespace pawl::chaos
