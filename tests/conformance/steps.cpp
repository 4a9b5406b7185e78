#include "tests/conformance/steps.hpp"

#include <stdexcept>
#include <utility>

namespace pawl::testing {

using core::TaskStatus;

core::Reply Pending::reply() const {
  return [state = state_](core::Result<core::Answer> answer) {
    EXPECT_TRUE(state->empty()) << "answered twice";
    state->push_back(std::move(answer));
  };
}

const core::Result<core::Answer>& Pending::answer() const {
  if (state_->empty()) throw std::runtime_error{"there is no answer yet"};
  return state_->front();
}

std::vector<core::Task> Pending::tasks() const {
  const auto& result = answer();
  if (!result) throw std::runtime_error{"the claim was refused: " + result.problem().detail};
  std::vector<core::Task> tasks;
  for (const core::ClaimedTask& claimed : std::get<std::vector<core::ClaimedTask>>(*result))
    tasks.push_back(claimed.task);
  return tasks;
}

Pending submit(DirectNode& node, core::Command command) {
  Pending pending;
  node.submit(std::move(command), pending.reply());
  return pending;
}

std::vector<Pending> submit_group(DirectNode& node, std::vector<core::Command> commands) {
  std::vector<Pending> pending(commands.size());
  std::vector<engine::Request> group;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    group.push_back({.command = std::move(commands[i]), .reply = pending[i].reply()});
  }
  node.engine().execute(std::move(group));
  return pending;
}

core::Result<core::Answer> run_on(DirectNode& node, core::Command command) {
  return submit(node, std::move(command)).answer();
}

core::Result<core::ReportAnswer> report_to(core::Api& api, const std::string& worker, core::Report report,
                                           const std::string& ns) {
  core::ReportTasks command{.ns = ns, .worker_id = worker};
  command.reports.push_back(std::move(report));
  auto answers = api.report(std::move(command));
  if (!answers) return answers.problem();
  return answers->front();
}

std::vector<core::TaskId> ids_of(const std::vector<core::ClaimedTask>& claimed) {
  std::vector<core::TaskId> ids;
  for (const core::ClaimedTask& one : claimed) ids.push_back(one.task.id);
  return ids;
}

std::vector<core::TaskId> ids_of(const std::vector<core::Task>& tasks) {
  std::vector<core::TaskId> ids;
  for (const core::Task& task : tasks) ids.push_back(task.id);
  return ids;
}

core::Report report_of(const core::Task& task, core::ReportAction action) {
  return {.task_id = task.id,
          .fence = task.lease->fence,
          .action = action,
          .error = {.code = "boom", .message = "no"}};
}

Pending Conformance::waiting_claim(core::ClaimTasks claim, core::Duration wait) {
  claim.wait = wait;
  return submit(std::move(claim));
}

std::vector<core::Task> Conformance::claim_for(core::ClaimTasks claim) {
  return submit(std::move(claim)).tasks();
}

core::Task Conformance::enqueue_keyed(const std::string& key, const std::string& queue) {
  core::TaskSpec spec = task_of("t");
  spec.key = key;
  spec.queue = queue;
  return enqueue(std::move(spec));
}

core::Task Conformance::enqueue_to(const std::string& queue, const std::string& type, int priority) {
  core::TaskSpec spec = task_of(type);
  spec.queue = queue;
  spec.priority = priority;
  return enqueue(std::move(spec));
}

void Conformance::set_queue(const std::string& name, core::QueuePatch patch) {
  const auto done = api().set_queue({.name = name, .patch = std::move(patch)});
  if (!done) throw std::runtime_error{"set_queue was refused: " + done.problem().detail};
}

void Conformance::complete(const core::Task& task) {
  const auto done = report(task, core::ReportAction::complete);
  if (!done) throw std::runtime_error{"complete was refused: " + done.problem().detail};
}

core::Task Conformance::run_to_dead_letter(core::TaskSpec spec) {
  spec.retry.max_attempts = 1;
  const core::Task task = enqueue(std::move(spec));
  const core::Task claimed = claim_for({.worker_id = "w1", .queues = {task.queue}, .max = 1}).at(0);
  EXPECT_EQ(claimed.id, task.id);
  EXPECT_EQ(fail(claimed)->status, TaskStatus::dead_letter);
  return claimed;
}

core::Task Conformance::run_to_failed(core::TaskSpec spec) {
  const core::Task task = enqueue(std::move(spec));
  const core::Task claimed = claim_for({.worker_id = "w1", .queues = {task.queue}, .max = 1}).at(0);
  EXPECT_EQ(claimed.id, task.id);
  EXPECT_EQ(fail(claimed, "boom", false)->status, TaskStatus::failed);
  return claimed;
}

std::vector<core::Task> Conformance::list(core::TaskQuery query, bool newest_first, int limit) {
  std::vector<core::Task> tasks;
  core::ListTasks call{.query = std::move(query), .newest_first = newest_first, .limit = limit};
  for (;;) {
    auto page = api().list_tasks(call);
    if (!page) throw std::runtime_error{"list was refused: " + page.problem().detail};
    tasks.insert(tasks.end(), page->items.begin(), page->items.end());
    if (!page->next_cursor) return tasks;
    call.cursor = *page->next_cursor;
  }
}

core::QueueCounts Conformance::recount(const std::string& queue) {
  core::QueueCounts counts;
  for (const core::Task& task : list({.queue = queue})) {
    switch (task.status) {
      case TaskStatus::blocked: ++counts.blocked; break;
      case TaskStatus::pending:
        ++(task.available_at > clock.now() ? counts.scheduled : counts.pending);
        break;
      case TaskStatus::claimed: ++counts.claimed; break;
      case TaskStatus::running: ++counts.running; break;
      case TaskStatus::dead_letter: ++counts.dead_letter; break;
      default: break;
    }
  }
  return counts;
}

void Conformance::expect_counts_kept(const std::string& name) {
  const core::QueueCounts kept = queue(name).counts;
  const core::QueueCounts counted = recount(name);
  EXPECT_EQ(kept.pending, counted.pending);
  EXPECT_EQ(kept.scheduled, counted.scheduled);
  EXPECT_EQ(kept.blocked, counted.blocked);
  EXPECT_EQ(kept.claimed, counted.claimed);
  EXPECT_EQ(kept.running, counted.running);
  EXPECT_EQ(kept.dead_letter, counted.dead_letter);
}

void Conformance::expect_refused(const core::TaskId& id, const std::string& worker, core::Report report,
                                 core::ProblemCode code) {
  const core::TaskWithAttempts before = get(id);
  report.task_id = id;
  const auto answer = EngineTest::report(worker, std::move(report));
  ASSERT_FALSE(answer.ok()) << "was taken";
  EXPECT_EQ(answer.problem().code, code) << answer.problem().detail;
  const core::TaskWithAttempts after = get(id);
  EXPECT_EQ(before.task, after.task);
  EXPECT_EQ(before.attempts, after.attempts);
}

}  // namespace pawl::testing
