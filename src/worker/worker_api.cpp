#include "worker/worker_api.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "client/raw_json.hpp"
#include "core/base/limits.hpp"
#include "core/base/time.hpp"

namespace pawl::worker {

namespace {

using Json = nlohmann::json;

constexpr core::Duration kTimeout = std::chrono::seconds{30};
constexpr std::size_t kAnswerBytesMax = 1U << 20U;
// A payload, and the most that labels, keys and the last error take besides it.
constexpr std::size_t kTaskBytesMax = core::kPayloadBytesMax + (256U << 10U);
constexpr std::size_t kResultBytesMax = 4U << 10U;

core::Problem not_understood() {
  return {.code = core::ProblemCode::internal, .detail = "the server's answer cannot be parsed"};
}

std::string text_of(std::string_view object, std::string_view name) {
  const auto json = Json::parse(client::raw_member(object, name).value_or("null"), nullptr, false);
  return json.is_string() ? json.get<std::string>() : "";
}

std::int64_t number_of(std::string_view object, std::string_view name) {
  const auto json = Json::parse(client::raw_member(object, name).value_or("null"), nullptr, false);
  return json.is_number_integer() ? json.get<std::int64_t>() : 0;
}

ClaimedTask claimed_task(std::string_view object) {
  const auto lease = client::raw_member(object, "lease").value_or("{}");
  return {.id = text_of(object, "id"),
          .type = text_of(object, "type"),
          .queue = text_of(object, "queue"),
          .operation_key = text_of(object, "operation_key"),
          .execution_key = text_of(object, "execution_key"),
          .run_id = text_of(object, "run_id"),
          .node_id = text_of(object, "node_id"),
          .traceparent = text_of(object, "traceparent"),
          .tracestate = text_of(object, "tracestate"),
          .attempt = number_of(object, "attempt"),
          .fence = number_of(lease, "fence"),
          .timeout = core::parse_duration(text_of(object, "timeout")),
          .payload = std::string{client::raw_member(object, "payload").value_or("null")},
          .object = std::string{object}};
}

core::Result<ReportResult> report_result(std::string_view object) {
  if (client::raw_member(object, "ok").value_or("false") == "true") {
    return ReportResult{.cancel_requested =
                            client::raw_member(object, "cancel_requested").value_or("") == "true"};
  }
  const auto error = client::raw_member(object, "error").value_or("{}");
  return client::problem_of({.status = 409, .body = std::string{error}});
}

}  // namespace

WorkerApi::WorkerApi(client::HttpTarget server, const std::string& ns, core::Random& random)
    : base_("/v1/" + client::percent_encoded(ns)), caller_(std::move(server), random) {}

core::Result<client::HttpAnswer> WorkerApi::post(const std::string& path, std::string body,
                                                 const Terms& terms) {
  client::HttpHeaders headers;
  if (!terms.key.empty()) headers["idempotency-key"] = terms.key;
  auto answer = caller_.call({.method = "POST",
                              .path = base_ + path,
                              .body = std::move(body),
                              .headers = std::move(headers),
                              .timeout = terms.timeout,
                              .body_max = terms.answer_bytes_max,
                              .repeatable = terms.repeatable});
  if (answer && !Json::accept(answer->body)) return not_understood();
  return answer;
}

core::Result<std::string> WorkerApi::enlist(const Registration& registration) {
  const auto body = client::ObjectText{}
                        .raw("queues", client::array_text(registration.queues))
                        .raw("task_types", client::array_text(registration.types))
                        .text("hostname", registration.hostname)
                        .number("pid", registration.pid)
                        .text("version", registration.version)
                        .number("max_concurrent", registration.max_concurrent)
                        .str();
  const auto answer = post("/workers", body, {kTimeout, kAnswerBytesMax});
  if (!answer) return answer.problem();
  auto id = text_of(answer->body, "worker_id");
  if (id.empty()) id = text_of(answer->body, "id");
  if (id.empty()) return not_understood();
  return id;
}

core::Status WorkerApi::heartbeat(const std::string& worker_id, const Heartbeat& heartbeat,
                                  core::Duration timeout) {
  const WorkerCounts& counts = heartbeat.counts;
  const auto body = client::ObjectText{}
                        .number("active_count", counts.active)
                        .number("completed_delta", counts.completed)
                        .number("failed_delta", counts.failed)
                        .str();
  // Not marked repeatable: the server adds up the deltas.
  const auto answer = post(
      "/workers/" + client::percent_encoded(worker_id) + "/heartbeat", body,
      {.timeout = timeout, .answer_bytes_max = kAnswerBytesMax, .repeatable = false, .key = heartbeat.key});
  return answer ? core::Status{core::Done{}} : answer.problem();
}

core::Status WorkerApi::leave(const std::string& worker_id) {
  const auto answer = caller_.call({.method = "DELETE",
                                    .path = base_ + "/workers/" + client::percent_encoded(worker_id),
                                    .body_max = kAnswerBytesMax});
  return answer ? core::Status{core::Done{}} : answer.problem();
}

core::Result<std::vector<ClaimedTask>> WorkerApi::claim(const ClaimRequest& request) {
  client::ObjectText body;
  body.text("worker_id", request.worker_id).raw("queues", client::array_text(request.queues));
  if (!request.types.empty()) body.raw("types", client::array_text(request.types));
  body.number("max", request.max)
      .text("lease", core::format_duration(request.lease))
      .text("wait", core::format_duration(request.wait));
  const auto max = static_cast<std::size_t>(std::max(request.max, 1));
  const auto answer =
      post("/tasks/claim", body.str(), {request.wait + kTimeout, kAnswerBytesMax + max * kTaskBytesMax});
  if (!answer) return answer.problem();
  const auto tasks = client::raw_member(answer->body, "tasks");
  if (!tasks) return not_understood();
  const auto objects = client::raw_elements(*tasks);
  if (objects.size() > max) return not_understood();
  std::vector<ClaimedTask> claimed;
  for (const auto object : objects) claimed.push_back(claimed_task(object));
  return claimed;
}

core::Result<std::vector<std::string>> WorkerApi::await_notices(const std::string& worker_id,
                                                                core::Duration wait) {
  const auto answer = caller_.call({.path = base_ + "/workers/" + client::percent_encoded(worker_id) +
                                            "/notices?wait=" + core::format_duration(wait),
                                    .timeout = wait + kTimeout,
                                    .body_max = kAnswerBytesMax,
                                    .repeatable = true});
  if (!answer) return answer.problem();
  const auto json = Json::parse(answer->body, nullptr, false);
  if (!json.is_object() || !json.contains("task_ids") || !json["task_ids"].is_array())
    return not_understood();
  std::vector<std::string> ids;
  for (const Json& id : json["task_ids"]) ids.push_back(id.is_string() ? id.get<std::string>() : "");
  return ids;
}

core::Result<std::vector<core::Result<ReportResult>>> WorkerApi::report(
    const std::string& worker_id, const std::vector<std::string>& reports, core::Duration timeout) {
  std::string list;
  for (const auto& report : reports) list += (list.empty() ? "" : ",") + report;
  const auto body = client::ObjectText{}.text("worker_id", worker_id).raw("reports", "[" + list + "]").str();
  const auto answer =
      post("/tasks/report", body, {timeout, kAnswerBytesMax + reports.size() * kResultBytesMax});
  if (!answer) return answer.problem();
  std::vector<core::Result<ReportResult>> results;
  for (const auto object : client::raw_elements(client::raw_member(answer->body, "results").value_or("[]"))) {
    results.push_back(report_result(object));
  }
  if (results.size() != reports.size()) return not_understood();
  return results;
}

}  // namespace pawl::worker
