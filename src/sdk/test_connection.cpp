#include "sdk/test_connection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "client/open_store.hpp"

namespace pawl::testing::detail {

namespace {

constexpr core::Duration kTestTick = std::chrono::milliseconds{1};
constexpr std::size_t kLookedAt = 10'000;  // records per kind; a test has fewer

runtime::RuntimeOptions options_of_a_test() {
  runtime::RuntimeOptions options;
  options.ticker.interval = kTestTick;
  options.schedules = kTestTick;
  // A worker without a heartbeat for a week of skipped time is not lost.
  options.ticker.maintenance = std::chrono::hours{1};
  return options;
}

core::Problem died() { return {.code = core::ProblemCode::stale_lease, .detail = "the process has crashed"}; }

bool ends_a_lease(const core::Report& report) {
  return report.action != core::ReportAction::heartbeat && report.action != core::ReportAction::start;
}

struct Registry {
  std::mutex mutex;
  int made = 0;
  std::map<std::string, std::weak_ptr<TestConnection>> by_address;  // shared with their environments
};

Registry& registry() {
  static Registry all;  // global, because an address is all that a program under test gets
  return all;
}

}  // namespace

core::TimePoint SkippingClock::now() {
  const std::lock_guard lock{mutex_};
  return now_;
}

void SkippingClock::skip_to(core::TimePoint time) {
  const std::lock_guard lock{mutex_};
  now_ = std::max(now_, time);
}

TestConnection::TestConnection(Crash crash)
    : Connection("default", std::make_unique<SkippingClock>()),
      crash_(crash),
      store_(client::open_store({.type = client::StoreType::memory}, clock(), random())),
      runtime_(*store_, clock(), random(), options_of_a_test()),
      api_(
          *store_, clock(), random(),
          [this](core::Command command, core::Reply reply) { submit(std::move(command), std::move(reply)); }),
      skipper_([this] { return skip(); }, kTestTick) {
  api_.follow(runtime_.engine().run_watch(), runtime_.engine().lease_notices());
}

TestConnection::~TestConnection() = default;

std::shared_ptr<void> TestConnection::waiting(const core::RunId& run) {
  const std::lock_guard lock{mutex_};
  awaited_.insert(run);
  return {this, [run](TestConnection* connection) {
            const std::lock_guard inner{connection->mutex_};
            connection->awaited_.extract(run);
          }};
}

core::Result<std::optional<core::StepsWritten>> TestConnection::transact(const StepsWork& /*work*/) {
  return core::Problem{.code = core::ProblemCode::invalid_state, .detail = *why_no_sql()};
}

// --- crashes ---

void TestConnection::submit(core::Command command, core::Reply reply) {
  if (std::holds_alternative<core::ClaimTasks>(command)) {
    submit_claim(std::move(command), reply);
  } else if (auto* report = std::get_if<core::ReportTasks>(&command)) {
    submit_report(std::move(*report), reply);
  } else if (auto* steps = std::get_if<core::WriteSteps>(&command)) {
    submit_steps(std::move(*steps), reply);
  } else {
    runtime_.submit(std::move(command), std::move(reply));
  }
}

void TestConnection::submit_claim(core::Command command, const core::Reply& reply) {
  runtime_.submit(std::move(command), [this, reply](core::Result<core::Answer> answer) {
    if (answer) {
      const std::lock_guard lock{mutex_};
      for (const core::ClaimedTask& claimed : std::get<std::vector<core::ClaimedTask>>(*answer)) {
        held_.emplace(claimed.task.id, claimed.task.lease->fence);
        task_keys_.emplace(claimed.task.id, core::operation_key(claimed.task));
        if (claimed.task.run_id) parked_.erase(*claimed.task.run_id);  // it was resumed
      }
    }
    reply(std::move(answer));
  });
}

void TestConnection::submit_report(core::ReportTasks command, const core::Reply& reply) {
  using Results = std::vector<core::Result<core::ReportAnswer>>;
  // The worker reports the ends of tasks one by one. Renewals arrive in batches, for live and crashed claims.
  const core::Report first = command.reports.front();
  const std::size_t count = command.reports.size();
  std::vector<bool> is_dead_one;
  std::vector<core::Report> living;
  for (const core::Report& report : command.reports) {
    is_dead_one.push_back(is_dead({report.task_id, report.fence}));
    if (!is_dead_one.back()) living.push_back(report);
  }
  if (living.empty()) return reply(core::Answer{Results(count, died())});
  const auto side = ends_a_lease(first) ? next_point() : std::nullopt;
  if (side == Crash::Side::before) {
    crash();
    return reply(core::Answer{Results(count, died())});
  }
  command.reports = std::move(living);
  runtime_.submit(std::move(command), [=, this](core::Result<core::Answer> answer) {
    if (!answer) return reply(std::move(answer));
    auto& given = std::get<Results>(*answer);
    if (given.front() && first.action == core::ReportAction::complete) note_completed(first.task_id);
    if (side) crash();
    Results all;
    std::size_t next = 0;
    for (const bool dead : is_dead_one)
      all.push_back(dead || side ? core::Result<core::ReportAnswer>{died()} : given[next++]);
    reply(core::Answer{std::move(all)});
  });
}

void TestConnection::submit_steps(core::WriteSteps command, const core::Reply& reply) {
  if (is_dead({command.body, command.fence})) return reply(died());
  const auto side = next_point();
  if (side == Crash::Side::before) {
    crash();
    return reply(died());
  }
  const core::RunId run = command.run_id;
  const std::optional<std::string> park = command.park;
  runtime_.submit(std::move(command), [=, this](core::Result<core::Answer> answer) {
    if (answer) {
      if (park) note_parked(run, *park);
      for (const core::StepAnswer& step : std::get<core::StepsWritten>(*answer).steps) {
        if (step.now.state == core::NodeState::completed)
          note_durable(core::operation_key(run, step.step_id));
      }
    }
    if (side) crash();
    reply(side ? core::Result<core::Answer>{died()} : std::move(answer));
  });
}

std::optional<Crash::Side> TestConnection::next_point() {
  const std::lock_guard lock{mutex_};
  ++points_;
  if (points_ != crash_.point || has_crashed_) return std::nullopt;
  return crash_.side;
}

void TestConnection::crash() {
  const std::lock_guard lock{mutex_};
  has_crashed_ = true;
  dead_.insert(held_.begin(), held_.end());
  held_.clear();
  durable_at_crash_ = durable_;
  if (ledger_ != nullptr) written_at_crash_ = ledger_->all().size();
}

bool TestConnection::is_dead(const Held& held) {
  const std::lock_guard lock{mutex_};
  return dead_.contains(held);
}

void TestConnection::note_durable(const std::string& key) {
  const std::lock_guard lock{mutex_};
  durable_.insert(key);
}

void TestConnection::note_completed(const core::TaskId& task) {
  const std::lock_guard lock{mutex_};
  if (const auto key = task_keys_.find(task); key != task_keys_.end()) durable_.insert(key->second);
}

void TestConnection::note_parked(const core::RunId& run, const std::string& why) {
  const std::lock_guard lock{mutex_};
  parked_.emplace(run, why);
}

std::optional<std::string> TestConnection::nondeterminism() {
  const std::lock_guard lock{mutex_};
  if (parked_.empty()) return std::nullopt;
  return parked_.begin()->second;
}

void TestConnection::check_wait() {
  if (const auto why = nondeterminism()) throw Mismatch{*why};
}

int TestConnection::points() {
  const std::lock_guard lock{mutex_};
  return points_;
}

bool TestConnection::has_crashed() {
  const std::lock_guard lock{mutex_};
  return has_crashed_;
}

void TestConnection::watch(const Ledger& ledger) {
  const std::lock_guard lock{mutex_};
  ledger_ = &ledger;
}

std::vector<std::string> TestConnection::done_again() {
  const std::lock_guard lock{mutex_};
  std::vector<std::string> again;
  if (ledger_ == nullptr || !has_crashed_) return again;
  const auto entries = ledger_->all();
  for (std::size_t i = written_at_crash_; i < entries.size(); ++i) {
    if (durable_at_crash_.contains(entries[i].key)) again.push_back(entries[i].effect);
  }
  return again;
}

// --- time ---

bool TestConnection::is_idle() {
  // A transaction, so that no task moves to a place that was already checked.
  const auto still = store_->begin();
  const auto open =
      store_->list_tasks({.filter = {.ns = ns(),
                                     .statuses = {core::TaskStatus::pending, core::TaskStatus::claimed,
                                                  core::TaskStatus::running}},
                          .limit = kLookedAt});
  bool has_ready = false;
  bool has_dead = false;
  for (const store::StoredTask& task : open) {
    has_ready = has_ready || task.record.place == core::Place::ready;
    if (!task.record.lease) continue;
    if (!is_dead({task.record.id, task.record.progress.fence})) return false;
    has_dead = true;
  }
  // A worker that has lost as many tasks as it may hold claims nothing until their leases expire.
  if (has_ready && !has_dead) return false;
  const store::DueRuns runs = store_->due_runs(1);
  return store_->due_leases(1).empty() && store_->due_tasks(1).ids.empty() && runs.timers.empty() &&
         runs.deadlines.empty() && store_->due_records(core::RecordKind::schedule, 1).empty() &&
         store_->due_records(core::RecordKind::firing, 1).empty();
}

std::optional<core::TimePoint> TestConnection::next_due() {
  std::optional<core::TimePoint> next = store_->due_tasks(1).next;
  const auto take = [&next](std::optional<core::TimePoint> time) {
    if (time) next = std::min(next.value_or(*time), *time);
  };
  take(store_->due_runs(1).next);
  for (const auto kind : {core::RecordKind::schedule, core::RecordKind::firing}) {
    for (const core::Record& record : store_->list_records({.kind = kind, .ns = ns(), .limit = kLookedAt}))
      take(record.expires_at);
  }
  const std::set<Held> dead = [&] {
    const std::lock_guard lock{mutex_};
    return dead_;
  }();
  for (const auto& [task, fence] : dead) {
    const auto stored = store_->find_task(task);
    if (stored && stored->record.lease && stored->record.progress.fence == fence)
      take(stored->record.lease->expires_at);
  }
  return next;
}

// A caller that waits for an ended run is about to continue and must find the time at which the run ended.
bool TestConnection::is_any_awaited() {
  const std::multiset<core::RunId> awaited = [&] {
    const std::lock_guard lock{mutex_};
    return awaited_;
  }();
  return std::any_of(awaited.begin(), awaited.end(), [this](const core::RunId& id) {
    const auto stored = store_->find_run(id, {});
    return stored && !core::is_closed(stored->run.state);
  });
}

int TestConnection::skip() {
  {
    const std::lock_guard lock{mutex_};
    if (awaited_.empty()) return 0;
  }
  const auto still = store_->begin();  // later commands come after the skip
  if (!is_idle() || !is_any_awaited()) return 0;
  if (const auto next = next_due()) skipping().skip_to(*next);
  return 0;  // other threads do the due work
}

// --- addresses ---

std::shared_ptr<pawl::detail::Connection> find_test_connection(const std::string& address) {
  const std::lock_guard lock{registry().mutex};
  const auto found = registry().by_address.find(address);
  return found == registry().by_address.end() ? nullptr : found->second.lock();
}

std::string register_test_connection(const std::shared_ptr<TestConnection>& connection) {
  const std::lock_guard lock{registry().mutex};
  std::string address = fmt::format("memory:test-{}", ++registry().made);
  std::erase_if(registry().by_address, [](const auto& entry) { return entry.second.expired(); });
  registry().by_address.emplace(address, connection);
  return address;
}

}  // namespace pawl::testing::detail
