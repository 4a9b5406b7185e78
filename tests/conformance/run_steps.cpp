#include "tests/conformance/run_steps.hpp"

#include <stdexcept>

namespace pawl::testing {

namespace {

template <typename T>
T need(core::Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error{what + " was refused: " + result.problem().detail};
  return std::move(*result);
}

}  // namespace

void RunTest::define(const std::string& name, const std::string& tasks, const std::string& more) {
  const std::string text = R"({"name":")" + name + R"(","tasks":[)" + tasks + "]" + more + "}";
  (void)need(runs().put_definition({.name = name, .text = text}), "the definition");
}

core::RunId RunTest::start(const std::string& workflow, const std::string& input) {
  return need(runs().start_run({.workflow = workflow, .input = {input}}), "the start").run.facts.id;
}

core::Run RunTest::act(const core::RunId& run, core::RunAction action) {
  return need(runs().act_on_run({.run = {.id = run}, .asked = {.action = action}}),
              std::string{to_string(action)});
}

core::ProblemCode RunTest::refused(const core::RunId& run, core::RunAction action) {
  const auto answer = runs().act_on_run({.run = {.id = run}, .asked = {.action = action}});
  if (answer) throw std::runtime_error{std::string{to_string(action)} + " was not refused"};
  return answer.problem().code;
}

core::Run RunTest::signal(const core::RunId& run, const std::string& name, const std::string& payload,
                          const std::optional<std::string>& key) {
  core::SignalRun request{.run = {.id = run}};
  request.signal = {.name = name, .payload = {payload}, .idempotency_key = key};
  return need(runs().signal_run(request), "the signal");
}

core::TaskId RunTest::add(const core::RunId& run, const std::vector<core::TaskId>& after,
                          const std::string& type) {
  core::TaskSpec spec = task_of(type);
  spec.run_id = run;
  spec.after = after;
  return need(node().local().enqueue("default", spec), "the task").task.id;
}

std::vector<std::string> RunTest::claimed() {
  std::vector<std::string> nodes;
  for (core::ClaimedTask& task : claim("w1", 1'000, 1h)) {
    nodes.push_back(task.task.node_id.value_or(to_string(task.task.id)));
    held_.insert_or_assign(nodes.back(), std::move(task));
  }
  return nodes;
}

core::ClaimedTask RunTest::take(const std::string& node) {
  if (!held_.contains(node)) claimed();
  const auto found = held_.find(node);
  if (found == held_.end()) throw std::runtime_error{"no worker can claim " + node};
  core::ClaimedTask task = std::move(found->second);
  held_.erase(found);
  return task;
}

void RunTest::start_task(const std::string& node) {
  core::ClaimedTask task = take(node);
  (void)need(report(task.task, core::ReportAction::start), "the start of " + node);
  held_.insert_or_assign(node, std::move(task));
}

void RunTest::complete_node(const std::string& node, const std::string& output) {
  const core::ClaimedTask task = take(node);
  core::Report report = report_of(task.task, core::ReportAction::complete);
  report.output = {output};
  (void)need(EngineTest::report("w1", report), "the completion of " + node);
}

void RunTest::fail_node(const std::string& node, bool retryable) {
  const core::ClaimedTask task = take(node);
  (void)need(fail(task.task, "boom", retryable), "the failure of " + node);
}

void RunTest::give_back(const std::string& node) {
  const core::ClaimedTask task = take(node);
  (void)need(report(task.task, core::ReportAction::release), "the release of " + node);
}

void RunTest::give_back_all() {
  while (!held_.empty()) {
    const core::ClaimedTask task = take(held_.begin()->first);
    (void)report(task.task, core::ReportAction::release);  // it may have been stopped already
  }
}

std::vector<std::string> RunTest::work() {
  std::vector<std::string> done;
  for (auto nodes = claimed(); !nodes.empty(); nodes = claimed()) {
    for (const std::string& node : nodes) {
      complete_node(node, "\"" + node + "\"");
      done.push_back(node);
    }
  }
  return done;
}

core::Run RunTest::run_of(const core::RunId& id) { return need(runs().get_run({.id = id}), "the run"); }

core::Node RunTest::node_of(const core::RunId& run, const std::string& name) {
  const core::RunView view = need(runs().view_run({.id = run}), "the run");
  for (const core::Node& node : view.nodes) {
    const std::string its_name = view.definition
                                     ? core::node_name(view.definition->tasks[node.key.index].id, node.key)
                                     : to_string(node.task_id.value_or(core::TaskId{}));
    if (its_name == name) return node;
  }
  throw std::runtime_error{"there is no node " + name};
}

core::NodeState RunTest::node_state(const core::RunId& run, const std::string& node) {
  return core::shown_state(run_of(run), node_of(run, node));
}

std::vector<core::RunEvent> RunTest::events(const core::RunId& run) {
  std::vector<core::RunEvent> all;
  core::ListRunEvents list{.run = {.id = run}, .limit = 500};
  while (true) {
    const auto page = need(runs().list_run_events(list), "the events");
    if (page.empty()) return all;
    all.insert(all.end(), page.begin(), page.end());
    list.after = page.back().sequence;
  }
}

std::vector<std::string> RunTest::event_names(const core::RunId& run) {
  std::vector<std::string> names;
  for (const core::RunEvent& event : events(run)) names.emplace_back(to_string(event.type));
  return names;
}

std::vector<std::string> RunTest::nodes_of(const core::RunId& run, core::RunEventType type) {
  std::vector<std::string> nodes;
  for (const core::RunEvent& event : events(run)) {
    if (event.type == type) nodes.push_back(event.data.node_id);
  }
  return nodes;
}

void RunTest::expect_replayed() {
  const auto page = need(runs().list_runs({.limit = 500}), "the list");
  for (const core::Run& run : page.items) {
    const auto replay = need(runs().replay_run({.id = run.facts.id}, std::nullopt), "the replay");
    EXPECT_EQ(replay.differences, std::vector<std::string>{}) << to_string(run.facts.id);
    EXPECT_EQ(replay.rebuilt.run, run);
  }
  const auto verification = need(api().verify(), "the look");
  for (const core::Verdict& verdict : verification.checks) {
    for (const core::Violation& violation : verdict.violations)
      ADD_FAILURE() << verdict.id << ": " << violation.object << ": " << violation.message;
  }
}

}  // namespace pawl::testing
