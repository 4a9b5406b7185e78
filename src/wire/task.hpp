#pragma once
// Converts tasks and queues to and from JSON. The server reads what the client writes, and the other way
// round.

#include <string>
#include <string_view>
#include <vector>

#include "core/api/api.hpp"
#include "core/base/result.hpp"
#include "core/task/command.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// --- requests ---

[[nodiscard]] core::TaskSpec read_task_spec(ObjectReader& in);
void write_task_spec(Writer& out, const core::TaskSpec& spec);

[[nodiscard]] std::vector<core::TaskSpec> read_task_specs(ObjectReader& in);

[[nodiscard]] core::ClaimTasks read_claim(ObjectReader& in, core::Duration lease_default);
void write_claim(Writer& out, const core::ClaimTasks& claim);

// The task and action from the path of a single report; in a batch each report contains them.
struct ReportPath {
  core::TaskId task_id = {};
  core::ReportAction action = core::ReportAction::heartbeat;
};
[[nodiscard]] core::Report read_report(ObjectReader& in, const std::optional<ReportPath>& path);
void write_report(Writer& out, const core::Report& report);
// A report that cannot be parsed is a problem of its own and does not affect the others.
struct ReadReports {
  std::string worker_id = {};
  std::vector<core::Result<core::Report>> reports = {};
  std::vector<core::TaskId> ids = {};  // of each report, if it could be parsed
};
[[nodiscard]] ReadReports read_reports(ObjectReader& in);

// The filter of a bulk operation; lists accept the same names as query parameters.
[[nodiscard]] core::TaskQuery read_task_query(ObjectReader& in);
void write_task_query(Writer& out, const core::TaskQuery& query);

[[nodiscard]] core::QueuePatch read_queue_patch(ObjectReader& in);
void write_queue_patch(Writer& out, const core::QueuePatch& patch);

// --- responses ---

// Writes only the fields, so that attempts or an execution key may follow in the same object.
void write_task_fields(Writer& out, const core::Task& task);
void write_attempt(Writer& out, const core::Task& task, const core::AttemptView& attempt);
void write_report_answer(Writer& out, const core::TaskId& id, const core::Result<core::ReportAnswer>& answer,
                         std::string_view request_id);
void write_queue(Writer& out, const core::Queue& queue);
// The list of queues as JSON text.
[[nodiscard]] std::string queues_text(const std::vector<core::Queue>& queues);

[[nodiscard]] std::string_view to_string(core::ReportAction action);
[[nodiscard]] std::optional<core::ReportAction> report_action_from(std::string_view name);

}  // namespace pawl::wire
