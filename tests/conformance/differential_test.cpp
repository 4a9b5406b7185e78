// The same random calls on memory, SQLite and PostgreSQL give the same answers after every step, and the same
// state. Seeds and clocks are equal, so the comparison is exact to the byte.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/harness.hpp"

namespace pawl::testing {
namespace {

using core::Result;
using core::TaskId;

constexpr int kNodes = 2;  // engines on each database
const std::vector<std::string> kNamespaces{"default", "other"};
const std::vector<std::string> kQueues{"a", "b", "c"};
const std::vector<std::string> kTypes{"t1", "t2", "t3"};
const std::vector<std::string> kWorkers{"w1", "w2", "w3"};

// One database with its nodes and its clock.
//
// The stores do not cache leases: a second try of a group would draw different random numbers than the first.
struct Side {
  Side(StoreKind kind, std::uint64_t seed) : database(kind), random(seed) {
    std::shared_ptr<store::Store> shared = database.open_without_memory(clock, random);
    for (std::uint64_t i = 0; i < kNodes; ++i) {
      const bool is_own = kind != StoreKind::memory && i > 0;
      nodes[i] = std::make_unique<DirectNode>(is_own ? database.open_without_memory(clock, random) : shared,
                                              clock, seed + i);
    }
  }

  ManualClock clock;
  Database database;
  SeededRandom random;  // for waits and reconnects: no result depends on it
  std::array<std::unique_ptr<DirectNode>, kNodes> nodes;
  std::vector<Result<core::Answer>> replies;  // to waiting claims
};

// Equality for types that lack it.
bool equal(const core::TaskWithAttempts& a, const core::TaskWithAttempts& b) {
  return a.task == b.task && a.attempts == b.attempts;
}
bool equal(const core::EnqueuedTask& a, const core::EnqueuedTask& b) {
  return a.created == b.created && a.task == b.task;
}
template <typename T>
bool equal(const core::Page<T>& a, const core::Page<T>& b) {
  return a.items == b.items && a.next_cursor == b.next_cursor;
}
bool equal(const engine::TickResult& a, const engine::TickResult& b) {
  return a.leases == b.leases && a.promoted == b.promoted && a.next_due == b.next_due;
}
template <typename T>
bool equal(const T& a, const T& b) {
  return a == b;
}
template <typename T>
bool equal(const Result<T>& a, const Result<T>& b) {
  if (a.ok() != b.ok()) return false;
  return a.ok() ? equal(*a, *b) : a.problem() == b.problem();
}

std::string describe(const core::Task& task) {
  return fmt::format("{} {} attempt {} fence {} available {} updated {}", to_string(task.id),
                     to_string(task.status), task.attempt, task.lease ? task.lease->fence : -1,
                     core::format_time(task.available_at), core::format_time(task.updated_at));
}
std::string describe(const core::Answer& answer) {
  std::string text = fmt::format("answer of kind {}:", answer.index());
  if (const auto* tasks = std::get_if<std::vector<core::ClaimedTask>>(&answer)) {
    for (const core::ClaimedTask& one : *tasks) text += " " + describe(one.task);
  } else if (const auto* reports = std::get_if<std::vector<Result<core::ReportAnswer>>>(&answer)) {
    for (const auto& one : *reports)
      text += one ? fmt::format(" {}", to_string(one->status)) : " " + one.problem().detail;
  } else if (const auto* moves = std::get_if<std::vector<Result<core::TaskMoved>>>(&answer)) {
    for (const auto& one : *moves)
      text += one ? fmt::format(" {}", to_string(one->status)) : " " + one.problem().detail;
  } else if (const auto* swept = std::get_if<core::Swept>(&answer)) {
    text += fmt::format(" {}", swept->changed);
  }
  return text;
}
template <typename T>
std::string describe(const Result<T>& result) {
  if (!result) return result.problem().detail;
  if constexpr (requires { describe(*result); }) return describe(*result);
  return "an answer";
}

template <typename T>
std::string difference_of(const T& expected, const T& actual) {
  if constexpr (requires { describe(expected); }) {
    return fmt::format("\n  it should be {}\n  and is       {}", describe(expected), describe(actual));
  }
  return "";
}

struct Count {
  int done = 0;
  int refused = 0;
};
using Counts = std::map<std::string, Count>;

struct Held {
  std::string ns;
  std::string worker;
  TaskId id;
  std::int64_t fence = 0;
};

class Differential {
 public:
  Differential(std::uint64_t seed, Counts& counts) : seed_(seed), chance_(seed), counts_(counts) {
    for (const StoreKind kind : all_store_kinds()) sides_.push_back(std::make_unique<Side>(kind, seed));
  }

  void run(int steps) {
    for (step_ = 1; step_ <= steps && !::testing::Test::HasFailure(); ++step_) {
      one_step();
      compare_replies();
      if (step_ % 15 == 0) compare_state(step_ % 60 == 0);
    }
    if (!::testing::Test::HasFailure()) compare_state(true);
  }

 private:
  // Calls `act` on each side, compares the results, and returns that of the memory store.
  template <typename Act>
  auto on_each(const std::string& what, Act act) {
    const auto expected = act(*sides_.front());
    for (std::size_t i = 1; i < sides_.size(); ++i) {
      const auto actual = act(*sides_[i]);
      if (equal(expected, actual)) continue;
      const std::string kind = to_string(sides_[i]->database.kind());
      ADD_FAILURE() << "seed " << seed_ << ", step " << step_ << ", " << what << ": " << kind
                    << " is not as memory" << difference_of(expected, actual);
    }
    return expected;
  }

  template <typename T>
  void count(const std::string& what, const Result<T>& result) {
    ++(result.ok() ? counts_[what].done : counts_[what].refused);
  }

  void one_step() {
    node_ = chance_.below(kNodes);
    ns_ = chance_.chance(0.85) ? kNamespaces[0] : kNamespaces[1];
    using Step = void (Differential::*)();
    static constexpr std::array<Step, 25> kSteps{
        &Differential::enqueue,    &Differential::enqueue,    &Differential::enqueue_batch,
        &Differential::claim,      &Differential::claim,      &Differential::claim,
        &Differential::report,     &Differential::report,     &Differential::report,
        &Differential::report,     &Differential::report,     &Differential::cancel,
        &Differential::retry,      &Differential::retry,      &Differential::bulk,
        &Differential::set_queue,  &Differential::tick,       &Differential::sweep_later,
        &Differential::move_clock, &Differential::move_clock, &Differential::group,
        &Differential::group,      &Differential::wait,       &Differential::list,
        &Differential::get};
    (this->*kSteps.at(chance_.below(kSteps.size())))();
  }

  core::Api& api(Side& side) const { return side.nodes.at(node_)->api(); }
  const std::string& pick(const std::vector<std::string>& from) { return from[chance_.below(from.size())]; }

  core::TaskSpec new_spec() {
    core::TaskSpec spec = task_of(pick(kTypes), fmt::format(R"({{"n": {}}})", step_));
    spec.queue = pick(kQueues);
    spec.priority = chance_.chance(0.3) ? static_cast<std::int32_t>(chance_.below(5)) - 2 : 0;
    if (chance_.chance(0.4)) spec.key = "k" + std::to_string(chance_.below(6));
    if (chance_.chance(0.35)) {
      spec.fairness_key = "f" + std::to_string(chance_.below(4));
      if (chance_.chance(0.5)) spec.fairness_weight = static_cast<double>(1 + chance_.below(8)) / 3;
    }
    if (chance_.chance(0.02)) spec.fairness_weight = 0;  // refused
    if (chance_.chance(0.2)) spec.idempotency_key = "i" + std::to_string(chance_.below(30));
    if (chance_.chance(0.2))
      spec.delay = core::Duration{static_cast<std::int64_t>(chance_.below(20'000'000))};
    if (!spec.delay && chance_.chance(0.1))
      spec.run_at = sides_.front()->clock.now() + chance_.below(30) * 1s - 10s;
    spec.retry.max_attempts = chance_.chance(0.1) ? -1 : 1 + static_cast<int>(chance_.below(3));
    if (chance_.chance(0.2)) spec.retry.non_retryable = {"fatal"};
    if (chance_.chance(0.3)) spec.timeout = 1s + chance_.below(10) * 1s;
    if (chance_.chance(0.3)) spec.labels = {{"tier", chance_.chance(0.5) ? "gold" : "\"q\\u"}, {"é", ""}};
    if (chance_.chance(0.02)) spec.retry.max_attempts = 0;  // refused
    return spec;
  }

  void enqueue() {
    const core::TaskSpec spec = new_spec();
    const auto made = on_each("enqueue", [&](Side& side) { return api(side).enqueue(ns_, spec); });
    count("enqueue", made);
    if (made) ids_.push_back(made->task.id);
  }

  core::EnqueueTasks new_batch() {
    core::EnqueueTasks command{.ns = ns_};
    const std::uint64_t size = 2 + chance_.below(12);
    for (std::uint64_t i = 0; i < size; ++i) command.tasks.push_back(new_spec());
    return command;
  }

  void enqueue_batch() {
    const core::EnqueueTasks command = new_batch();
    const auto made = on_each("enqueue_batch", [&](Side& side) { return api(side).enqueue_batch(command); });
    count("enqueue_batch", made);
    if (!made) return;
    for (const core::Enqueued& one : *made) ids_.push_back(one.id);
  }

  core::ClaimTasks new_claim() {
    core::ClaimTasks command{.ns = ns_, .worker_id = pick(kWorkers), .queues = {pick(kQueues)}};
    if (chance_.chance(0.7)) command.queues = kQueues;
    if (chance_.chance(0.2)) command.types = {pick(kTypes)};
    command.max = static_cast<int>(1 + chance_.below(6));
    if (chance_.chance(0.06)) command.max = 0;  // refused
    command.lease = 1s + chance_.below(20) * 1s;
    return command;
  }

  void note(const std::vector<core::ClaimedTask>& claimed) {
    for (const core::ClaimedTask& one : claimed) {
      held_.push_back({one.task.ns, one.task.lease->worker_id, one.task.id, one.task.lease->fence});
    }
  }

  void claim() {
    const core::ClaimTasks command = new_claim();
    const auto claimed = on_each("claim", [&](Side& side) { return api(side).claim(command); });
    count("claim", claimed);
    if (claimed) note(*claimed);
  }

  // Usually for a current lease; sometimes for one that expired long ago, or an invented one.
  core::Report new_report(std::string& worker) {
    core::Report report;
    if (!held_.empty()) {
      const std::size_t recent = std::min<std::size_t>(held_.size(), 12);
      const bool is_old = chance_.chance(0.1);
      const std::size_t index =
          is_old ? chance_.below(held_.size()) : held_.size() - 1 - chance_.below(recent);
      const Held& held = held_[index];
      ns_ = held.ns;
      worker = held.worker;
      report.task_id = held.id;
      report.fence = held.fence;
    }
    if (chance_.chance(0.05)) ++report.fence;
    if (chance_.chance(0.03)) report.task_id = TaskId{};
    report.action = static_cast<core::ReportAction>(chance_.below(core::kReportActionCount));
    if (report.action == core::ReportAction::complete) report.output = {R"({ "ok" : [1.50, "ü"] })"};
    if (report.action == core::ReportAction::fail) {
      report.error = {.code = chance_.chance(0.2) ? "fatal" : "boom", .message = "it\nwent \"wrong\""};
      report.error.retryable = !chance_.chance(0.2);
      if (chance_.chance(0.2)) report.retry_after = chance_.below(5) * 1s;
    }
    if (report.action == core::ReportAction::heartbeat && chance_.chance(0.3))
      report.lease = 1s + chance_.below(20) * 1s;
    return report;
  }

  core::ReportTasks new_reports() {
    static constexpr std::array<const char*, core::kReportActionCount> kNames{"heartbeat", "start",
                                                                              "complete", "fail", "release"};
    core::ReportTasks command{.worker_id = pick(kWorkers)};
    const std::uint64_t size = 1 + chance_.below(3);
    report_names_.clear();
    for (std::uint64_t i = 0; i < size; ++i) {
      command.reports.push_back(new_report(command.worker_id));
      report_names_.emplace_back(kNames.at(static_cast<std::size_t>(command.reports.back().action)));
    }
    command.ns = ns_;
    return command;
  }

  void report() {
    const core::ReportTasks command = new_reports();
    const auto answers = on_each("report", [&](Side& side) -> Result<core::Answer> {
      auto answer = api(side).report(command);
      if (!answer) return answer.problem();
      return core::Answer{std::move(*answer)};
    });
    if (!answers) return;
    const auto& results = std::get<std::vector<Result<core::ReportAnswer>>>(*answers);
    for (std::size_t i = 0; i < results.size(); ++i) count(report_names_[i], results[i]);
  }

  TaskId some_id() {
    if (ids_.empty() || chance_.chance(0.05)) return TaskId{};
    const std::size_t recent = chance_.chance(0.5) ? std::min<std::size_t>(ids_.size(), 10) : ids_.size();
    return ids_[ids_.size() - 1 - chance_.below(recent)];
  }

  void cancel() {
    const TaskId id = some_id();
    count("cancel", on_each("cancel", [&](Side& side) { return api(side).cancel_task(ns_, id); }));
  }

  void retry() {
    const TaskId id = some_id();
    count("retry", on_each("retry", [&](Side& side) { return api(side).retry_task(ns_, id); }));
  }

  core::TaskQuery new_query() {
    core::TaskQuery query{.ns = ns_};
    if (chance_.chance(0.5)) query.queue = pick(kQueues);
    if (chance_.chance(0.3)) query.type = pick(kTypes);
    if (chance_.chance(0.2)) query.key = "k" + std::to_string(chance_.below(6));
    if (chance_.chance(0.1)) query.worker_id = pick(kWorkers);
    if (chance_.chance(0.2)) query.label = {"tier", "gold"};
    if (chance_.chance(0.2)) query.created_after = sides_.front()->clock.now() - chance_.below(200) * 1s;
    if (chance_.chance(0.2)) query.created_before = sides_.front()->clock.now() - chance_.below(100) * 1s;
    if (chance_.chance(0.4)) {
      const auto from = static_cast<int>(chance_.below(core::kTaskStatusCount));
      query.statuses = {static_cast<core::TaskStatus>(from), core::TaskStatus::pending};
    }
    if (chance_.chance(0.03)) query.ns = "No Such";  // refused
    return query;
  }

  void bulk() {
    const core::BulkTasks bulk{.query = new_query(), .limit = static_cast<int>(chance_.below(8))};
    if (chance_.chance(0.5)) {
      count("bulk_cancel", on_each("bulk_cancel", [&](Side& side) { return api(side).cancel_tasks(bulk); }));
    } else {
      count("bulk_retry", on_each("bulk_retry", [&](Side& side) { return api(side).retry_tasks(bulk); }));
    }
  }

  core::SetQueue new_settings() {
    core::SetQueue command{.ns = ns_, .name = pick(kQueues)};
    if (chance_.chance(0.6)) command.patch.paused = chance_.chance(0.2);
    if (chance_.chance(0.4)) command.patch.max_concurrency.emplace();
    if (command.patch.max_concurrency && chance_.chance(0.5)) {
      *command.patch.max_concurrency = static_cast<std::int64_t>(chance_.below(6));
    }
    if (chance_.chance(0.4)) command.patch.type_concurrency.emplace();
    if (command.patch.type_concurrency && chance_.chance(0.5)) {
      *command.patch.type_concurrency = std::map<std::string, std::int64_t>{{"t1", 1}, {"t3", 2}};
    }
    if (chance_.chance(0.4)) command.patch.rate.emplace();
    if (command.patch.rate && chance_.chance(0.4)) *command.patch.rate = core::Rate{.limit = 3, .per = 10s};
    if (chance_.chance(0.1)) command.name.clear();  // refused
    return command;
  }

  void set_queue() {
    const core::SetQueue command = new_settings();
    count("set_queue", on_each("set_queue", [&](Side& side) { return api(side).set_queue(command); }));
  }

  void tick() {
    on_each("tick", [&](Side& side) { return side.nodes.at(node_)->engine().sweeper().tick(5); });
    for (const auto& side : sides_) side->nodes.at(node_)->engine().serve_waiting(false);
  }

  // Finds due work on one node and executes it later, when some of it has already been done.
  void sweep_later() {
    if (due_) {
      const core::Command command = *std::exchange(due_, std::nullopt);
      const auto answers = on_each("due", [&](Side& side) { return execute(side, {command}); });
      const auto found = static_cast<int>(core::weight_of(command));
      const int changed = std::get<core::Swept>(*answers.front()).changed;
      Count& counted = counts_[std::holds_alternative<core::SweepLeases>(command) ? "sweep" : "promote"];
      if (changed > 0) ++counted.done;
      if (changed < found) ++counted.refused;
      return;
    }
    const auto leases =
        on_each("due_leases", [&](Side& side) { return side.nodes.at(node_)->store()->due_leases(4); });
    const auto ids =
        on_each("due_tasks", [&](Side& side) { return side.nodes.at(node_)->store()->due_tasks(4).ids; });
    if (!leases.empty() && (ids.empty() || chance_.chance(0.5))) due_ = core::SweepLeases{.leases = leases};
    if (!due_ && !ids.empty()) due_ = core::PromoteDue{.ids = ids};
  }

  void move_clock() {
    const core::Duration by = chance_.below(12'000) * 1ms;
    const bool is_step = chance_.chance(0.1);
    for (const auto& side : sides_) {
      if (is_step) side->clock.step_wall(-by);
      if (!is_step) side->clock.advance(by);
      for (const auto& node : side->nodes) node->engine().end_waits();
    }
  }

  // Executes several commands, which may include claims, as one group.
  [[nodiscard]] std::vector<Result<core::Answer>> execute(Side& side,
                                                          const std::vector<core::Command>& commands) const {
    const auto answers = std::make_shared<std::vector<std::optional<Result<core::Answer>>>>(commands.size());
    std::vector<engine::Request> requests;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      requests.push_back({.command = commands[i], .reply = [answers, i](Result<core::Answer> answer) {
                            (*answers)[i] = std::move(answer);
                          }});
    }
    side.nodes.at(node_)->engine().execute(std::move(requests));
    std::vector<Result<core::Answer>> all;
    for (auto& answer : *answers) {
      all.push_back(answer ? std::move(*answer) : Result<core::Answer>{core::Problem{.detail = "no answer"}});
    }
    return all;
  }

  core::Command new_command() {
    switch (chance_.below(8)) {
      case 0:
      case 1: return new_batch();
      case 2:
      case 3: return new_reports();
      case 4: return core::CancelTasks{.ns = ns_, .ids = {some_id(), some_id()}};
      case 5: return core::RetryTasks{.ns = ns_, .ids = {some_id(), some_id()}};
      case 6: return new_settings();
      default: return new_claim();
    }
  }

  void group() {
    std::vector<core::Command> commands;
    const std::uint64_t size = 2 + chance_.below(5);
    while (commands.size() < size) {
      core::Command command = new_command();
      if (core::check(command).ok()) commands.push_back(std::move(command));
    }
    const auto answers = on_each("group", [&](Side& side) { return execute(side, commands); });
    for (const auto& answer : answers) {
      count("group", answer);
      if (!answer) continue;
      if (const auto* claimed = std::get_if<std::vector<core::ClaimedTask>>(&*answer)) note(*claimed);
      if (const auto* made = std::get_if<std::vector<core::Enqueued>>(&*answer)) {
        for (const core::Enqueued& one : *made) ids_.push_back(one.id);
      }
    }
  }

  // A waiting claim; its reply arrives with the command that serves it.
  void wait() {
    core::ClaimTasks command = new_claim();
    command.wait = 1s + chance_.below(30) * 1s;
    for (const auto& side : sides_) {
      side->nodes.at(node_)->submit(command, [&replies = side->replies](Result<core::Answer> answer) {
        replies.push_back(std::move(answer));
      });
    }
  }

  void compare_replies() {
    const auto replies =
        on_each("claims that waited", [](Side& side) { return std::exchange(side.replies, {}); });
    for (const auto& reply : replies) {
      count("waiting_claim", reply);
      if (reply) note(std::get<std::vector<core::ClaimedTask>>(*reply));
    }
  }

  void list() {
    core::ListTasks list{.query = new_query(), .newest_first = chance_.chance(0.5)};
    list.limit = static_cast<int>(chance_.below(20));
    for (int page = 0; page < 3; ++page) {
      const auto found = on_each("list", [&](Side& side) { return api(side).list_tasks(list); });
      count("list", found);
      if (!found || !found->next_cursor) break;
      list.cursor = *found->next_cursor;
    }
  }

  void get() {
    const TaskId id = some_id();
    count("get", on_each("get", [&](Side& side) { return api(side).get_task(ns_, id); }));
    count("checkpoints",
          on_each("checkpoints", [&](Side& side) { return api(side).list_checkpoints(ns_, id); }));
    const std::string asked = chance_.chance(0.2) ? "admin" : ns_;
    count("queues", on_each("queues", [&](Side& side) { return api(side).list_queues(asked); }));
  }

  void compare_state(bool is_deep) {
    for (const std::string& ns : kNamespaces) {
      core::ListTasks list{.query = {.ns = ns}, .newest_first = false, .limit = core::kPageMax};
      while (true) {
        const auto page = on_each("state", [&](Side& side) { return api(side).list_tasks(list); });
        for (const core::Task& task : page->items) {
          if (!is_deep) break;
          (void)on_each("state of a task", [&](Side& side) { return api(side).get_task(ns, task.id); });
          (void)on_each("state of its checkpoints",
                        [&](Side& side) { return api(side).list_checkpoints(ns, task.id); });
        }
        if (!page->next_cursor) break;
        list.cursor = *page->next_cursor;
      }
      (void)on_each("state of queues", [&](Side& side) { return api(side).list_queues(ns); });
    }
  }

  std::uint64_t seed_;
  SeededRandom chance_;
  Counts& counts_;
  std::vector<std::unique_ptr<Side>> sides_;
  int step_ = 0;
  std::size_t node_ = 0;
  std::string ns_;
  std::vector<TaskId> ids_;
  std::vector<Held> held_;
  std::vector<std::string> report_names_;
  std::optional<core::Command> due_;
};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// PAWL_SEED=7 PAWL_SEEDS=1 runs seed 7 alone.
TEST(DifferentialTest, EveryStoreReturnsTheSameResultsForTheSameCalls) {
  const std::uint64_t first = number_from("PAWL_SEED", 1);
  const std::uint64_t seeds = number_from("PAWL_SEEDS", 4);
  constexpr int kSteps = 350;
  Counts counts;
  for (std::uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    std::printf("seed %lu\n", static_cast<unsigned long>(seed));
    Differential{seed, counts}.run(kSteps);
  }
  if (HasFailure() || seeds == 1) return;
  for (const char* name :
       {"enqueue", "enqueue_batch", "claim", "heartbeat",   "start",       "complete",  "fail",
        "release", "cancel",        "retry", "bulk_cancel", "bulk_retry",  "set_queue", "sweep",
        "promote", "waiting_claim", "list",  "get",         "checkpoints", "queues"}) {
    EXPECT_GT(counts[name].done, 0) << name << " never succeeded";
    EXPECT_GT(counts[name].refused, 0) << name << " never was refused";
  }
}

}  // namespace
}  // namespace pawl::testing
