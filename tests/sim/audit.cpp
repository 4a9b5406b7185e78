// Compares the whole store with the model, and checks the conditions at the end of a run.
#include <fmt/format.h>

#include "tests/sim/checker.hpp"

namespace pawl::sim {

namespace {

std::string describe(const core::Result<core::Answer>& answer, const TaskId& task, std::size_t index) {
  if (!answer) return answer.problem().detail;
  const auto describe_one = [](const auto& one) {
    return one.ok() ? std::string{to_string(one->status)} : one.problem().detail;
  };
  if (const auto* reports = std::get_if<std::vector<core::Result<core::ReportAnswer>>>(&*answer)) {
    return describe_one((*reports)[index]);
  }
  if (const auto* moves = std::get_if<std::vector<core::Result<core::TaskMoved>>>(&*answer)) {
    return describe_one((*moves)[index]);
  }
  if (const auto* swept = std::get_if<core::Swept>(&*answer))
    return fmt::format("{} changed", swept->changed);
  return to_string(task);
}

constexpr std::array<std::string_view, core::kReportActionCount> kActionNames{"heartbeat", "start",
                                                                              "complete", "fail", "release"};

}  // namespace

void Checker::audit() {
  model_.begin({.now = store_.now(), .clock = store_.clock_state()}, true_time());
  store::TaskPage page{.filter = {.ns = "default"}, .newest_first = false, .limit = 500};
  std::size_t rows = 0;
  while (true) {
    const auto listed = store_.list_tasks(page);
    for (const store::StoredTask& row : listed) {
      i02_was_asked_for(row.record);
      ModelTask* task = model_.find(row.record.id);
      if (task == nullptr) broken(Invariant::i02, "a row that no commit made", row.record.id);
      compare_row(*task, row);
    }
    rows += listed.size();
    if (listed.size() < page.limit) break;
    page.after = listed.back().record.id;
  }
  if (rows != model_.tasks().size()) {
    throw Violation{Invariant::i01, fmt::format("the store has {} tasks of {}", rows, model_.tasks().size())};
  }
  audit_queues();
}

void Checker::audit_queues() {
  for (const core::Queue& queue : store_.list_queues("default")) {
    tally_.saw(Invariant::i15);
    if (queue.counts != model_.queue(queue.name).counts) {
      const auto text = [](const core::QueueCounts& counts) {
        return fmt::format("{} pending, {} scheduled, {} blocked, {} claimed, {} running, {} dead",
                           counts.pending, counts.scheduled, counts.blocked, counts.claimed, counts.running,
                           counts.dead_letter);
      };
      throw Violation{Invariant::i15, fmt::format("queue {} is said to have {}; it has {}", queue.name,
                                                  text(queue.counts), text(model_.queue(queue.name).counts))};
    }
  }
}

void Checker::audit_end() {
  audit();
  for (const Submission& asked : model_.submissions()) {
    if (asked.is_acknowledged) i01_is_kept(asked);
  }
  for (const ModelTask& task : model_.tasks()) {
    if (!core::is_terminal(task.status)) {
      broken(Invariant::i01, fmt::format("it never ended; it is {}", to_string(task.status)), task.id);
    }
  }
}

void Checker::tell(const Call& call, const core::Result<core::Answer>& answer) {
  const auto line = [&](const TaskId& task, std::size_t index, const std::string& what) {
    if (!history_.watches(task)) return;
    history_.line(scheduler_.now(),
                  fmt::format("node {}: {}: {}", node_, what, describe(answer, task, index)));
  };
  if (const auto* reports = std::get_if<core::ReportTasks>(&call.command)) {
    for (std::size_t i = 0; i < reports->reports.size(); ++i) {
      const core::Report& report = reports->reports[i];
      line(report.task_id, i,
           fmt::format("{} by {} with fence {}", kActionNames[static_cast<std::size_t>(report.action)],
                       reports->worker_id, report.fence));
    }
  } else if (const auto* cancel = std::get_if<core::CancelTasks>(&call.command)) {
    for (std::size_t i = 0; i < cancel->ids.size(); ++i) line(cancel->ids[i], i, "cancel");
  } else if (const auto* retry = std::get_if<core::RetryTasks>(&call.command)) {
    for (std::size_t i = 0; i < retry->ids.size(); ++i) line(retry->ids[i], i, "retry");
  } else if (const auto* sweep = std::get_if<core::SweepLeases>(&call.command)) {
    for (const core::LeaseRef& ref : sweep->leases)
      line(ref.task_id, 0, fmt::format("sweep of fence {}", ref.fence));
  } else if (const auto* promote = std::get_if<core::PromoteDue>(&call.command)) {
    for (const TaskId& id : promote->ids) line(id, 0, "promote");
  }
}

void Checker::tell_task(const ModelTask& task, const char* what) {
  if (!history_.watches(task.id)) return;
  std::string text =
      fmt::format("node {}: {}: {} attempt {} fence {} at store time {}", node_, what, to_string(task.status),
                  task.attempt, task.fence, core::format_time(model_.now()));
  if (task.lease) {
    text +=
        fmt::format(", held by {} until {}", task.lease->worker, core::format_time(task.lease->expires_at));
  } else if (!core::is_terminal(task.status)) {
    text += ", available at " + core::format_time(task.available_to);
  }
  history_.line(scheduler_.now(), std::move(text));
}

}  // namespace pawl::sim
