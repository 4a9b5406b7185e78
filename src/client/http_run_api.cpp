#include "client/http_run_api.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "core/task/command.hpp"
#include "wire/definition.hpp"
#include "wire/percent.hpp"
#include "wire/run.hpp"
#include "wire/run_read.hpp"
#include "wire/step.hpp"

namespace pawl::client {

namespace {

using core::Result;
using wire::ObjectReader;
using wire::percent_encoded;
using wire::Writer;

std::string runs_path(const std::string& ns, const std::string& rest = "") {
  return fmt::format("/v1/{}/runs{}", percent_encoded(ns), rest);
}

std::string run_path(const core::RunRef& run, const std::string& rest = "") {
  return runs_path(run.ns, fmt::format("/{}{}", to_string(run.id), rest));
}

std::string definitions_path(const std::string& ns, const std::string& rest = "") {
  return fmt::format("/v1/{}/definitions{}", percent_encoded(ns), rest);
}

HttpHeaders with_sequence(const std::optional<std::int64_t>& expected) {
  if (!expected) return {};
  return {{"if-match", std::to_string(*expected)}};
}

template <typename Request>
HttpHeaders with_trace(const Request& request) {
  std::string traceparent = core::traceparent_of(request.trace_id, request.span_id, request.trace_flags);
  if (traceparent.empty()) return {};
  HttpHeaders headers{{"traceparent", std::move(traceparent)}};
  if (!request.tracestate.empty()) headers.emplace("tracestate", request.tracestate);
  return headers;
}

template <typename Write, typename Value>
std::string text_of(Write write, const Value& value) {
  Writer out;
  write(out, value);
  return out.take();
}

void add(std::string& query, std::string_view name, const std::string& value) {
  query += fmt::format("{}{}={}", query.empty() ? '?' : '&', name, percent_encoded(value));
}

std::string query_of(const core::ListRuns& list) {
  std::string query;
  add(query, "limit", std::to_string(list.limit));
  add(query, "order", list.newest_first ? "desc" : "asc");
  const core::RunQuery& filter = list.query;
  std::string states;
  for (const core::RunState state : filter.states)
    states += (states.empty() ? "" : ",") + std::string{core::to_string(state)};
  if (!states.empty()) add(query, "state", states);
  if (filter.retrying) add(query, "retrying", "true");
  if (filter.workflow) add(query, "workflow", *filter.workflow);
  if (filter.run_key) add(query, "run_key", *filter.run_key);
  if (filter.parent) add(query, "parent", to_string(*filter.parent));
  if (filter.label) add(query, "label", filter.label->first + ":" + filter.label->second);
  if (filter.created_after) add(query, "created_after", core::format_time(*filter.created_after));
  if (filter.created_before) add(query, "created_before", core::format_time(*filter.created_before));
  if (!list.cursor.empty()) add(query, "cursor", list.cursor);
  return query;
}

template <typename Read>
auto page_of(const Result<std::string>& body, Read read) {
  return decoded(body, [&](ObjectReader& in) {
    core::Page<decltype(read(in))> page;
    in.objects_leniently("items", [&](ObjectReader& one) { page.items.push_back(read(one)); });
    page.next_cursor = in.optional_text("next_cursor");
    return page;
  });
}

std::string steps_path(const std::string& ns, const core::RunId& run) {
  return "/v1/" + ns + "/runs/" + to_string(run) + "/steps";
}

}  // namespace

Result<core::DefinitionPut> HttpRunApi::put_definition(const core::PutDefinition& request) {
  const auto answer =
      connection_.send(request.ns, {.method = "PUT",
                                    .path = definitions_path(request.ns, "/" + percent_encoded(request.name)),
                                    .body = request.text});
  if (!answer) return answer.problem();
  auto version = decoded(Result{answer->body}, wire::read_definition);
  if (!version) return version.problem();
  return core::DefinitionPut{.created = answer->status == 201, .version = std::move(*version)};
}

Result<core::DefinitionVersion> HttpRunApi::get_definition(const std::string& ns, const std::string& name,
                                                           std::optional<int> version) {
  const std::string which = version ? fmt::format("/versions/{}", *version) : "";
  return decoded(connection_.call(ns, {.path = definitions_path(ns, "/" + percent_encoded(name) + which)}),
                 wire::read_definition);
}

Result<core::Page<core::DefinitionVersion>> HttpRunApi::list_definitions(const core::ListRecords& list) {
  std::string query;
  add(query, "limit", std::to_string(list.limit));
  if (!list.cursor.empty()) add(query, "cursor", list.cursor);
  return page_of(connection_.call(list.ns, {.path = definitions_path(list.ns, query)}),
                 wire::read_definition);
}

Result<core::RunStarted> HttpRunApi::start_run(const core::StartRun& request) {
  if (const core::Status valid = core::check_json("input", request.input); !valid) return valid.problem();
  const std::string path = fmt::format("/v1/{}/workflows/{}/start", percent_encoded(request.ns),
                                       percent_encoded(request.workflow));
  return decoded(connection_.call(request.ns, {.method = "POST",
                                               .path = path,
                                               .body = text_of(wire::write_start_run, request),
                                               .headers = with_trace(request)}),
                 wire::read_run_started);
}

Result<core::RunStarted> HttpRunApi::open_run(const core::OpenRun& request) {
  if (const core::Status valid = core::check_json("input", request.input); !valid) return valid.problem();
  return decoded(connection_.call(request.ns, {.method = "POST",
                                               .path = runs_path(request.ns),
                                               .body = text_of(wire::write_open_run, request),
                                               .headers = with_trace(request)}),
                 wire::read_run_started);
}

Result<core::Run> HttpRunApi::get_run(const core::RunRef& ref) {
  return decoded(connection_.call(ref.ns, {.path = run_path(ref)}), wire::read_run);
}

Result<core::RunView> HttpRunApi::view_run(const core::RunRef& ref) {
  auto view =
      decoded(connection_.call(ref.ns, {.path = run_path(ref, "?include=tasks")}), [](ObjectReader& in) {
        core::RunView shown{.run = wire::read_run(in)};
        shown.nodes = wire::read_run_tasks(in);
        return shown;
      });
  if (!view || view->run.facts.kind != core::RunKind::graph) return view;
  const core::RunFacts& facts = view->run.facts;
  const auto version = get_definition(facts.ns, facts.workflow, facts.version);
  if (!version) return version.problem();
  auto definition = core::parse_definition(version->text.text);
  if (!definition) return definition.problem();
  view->definition = std::move(*definition);
  return view;
}

Result<core::Page<core::Run>> HttpRunApi::list_runs(const core::ListRuns& list) {
  return page_of(connection_.call(list.query.ns, {.path = runs_path(list.query.ns, query_of(list))}),
                 wire::read_run);
}

Result<core::Run> HttpRunApi::await_run(const core::RunRef& ref, core::Duration wait) {
  HttpRequest request{.path = run_path(ref, "/result?wait=" + core::format_duration(wait))};
  request.timeout = wait + std::chrono::seconds{30};
  return decoded(connection_.call(ref.ns, std::move(request)), wire::read_run);
}

Result<core::Run> HttpRunApi::act_on_run(const core::ActOnRun& request) {
  Writer out;
  out.begin_object();
  if (request.asked.reason) out.field("reason", *request.asked.reason);
  if (request.asked.step) out.field("step", *request.asked.step);
  out.end_object();
  const std::string verb{core::to_string(request.asked.action)};
  return decoded(
      connection_.call(request.run.ns, {.method = "POST",
                                        .path = run_path(request.run, "/" + verb),
                                        .body = out.take(),
                                        .headers = with_sequence(request.asked.expected_sequence)}),
      wire::read_run);
}

Result<core::Run> HttpRunApi::rewind_run(const core::RewindRun& request) {
  Writer out;
  const auto body = connection_.call(request.run.ns,
                                     {.method = "POST",
                                      .path = run_path(request.run, "/rewind"),
                                      .body = out.begin_object().field("to", request.to).end_object().take(),
                                      .headers = with_sequence(request.expected_sequence)});
  return decoded(body, [](ObjectReader& in) {
    core::Run run;
    in.optional_object_leniently("run", [&](ObjectReader& one) { run = wire::read_run(one); });
    return run;
  });
}

Result<core::Run> HttpRunApi::signal_run(const core::SignalRun& request) {
  if (const core::Status valid = core::check_json("payload", request.signal.payload); !valid)
    return valid.problem();
  const std::string path = run_path(request.run, "/signals/" + percent_encoded(request.signal.name));
  return decoded(
      connection_.call(request.run.ns, {.method = "POST",
                                        .path = path,
                                        .body = text_of(wire::write_signal, request.signal),
                                        .headers = with_sequence(request.signal.expected_sequence)}),
      wire::read_run);
}

Result<core::BulkResult> HttpRunApi::act_on_runs(const core::BulkRuns& bulk) {
  const std::string verb{core::to_string(bulk.action)};
  const auto body = connection_.call(bulk.query.ns, {.method = "POST",
                                                     .path = runs_path(bulk.query.ns, "/" + verb),
                                                     .body = text_of(wire::write_bulk_runs, bulk)});
  return decoded(body, [](ObjectReader& in) {
    return core::BulkResult{.matched = static_cast<int>(in.integer("matched")),
                            .changed = static_cast<int>(in.integer("changed"))};
  });
}

Result<core::StepsWritten> HttpRunApi::write_steps(core::WriteSteps command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  core::Writer out;
  wire::write_write_steps(out, command);
  HttpRequest request{.method = "POST", .path = steps_path(command.ns, command.run_id), .body = out.take()};
  request.repeatable = core::may_be_repeated(command);
  return decoded(connection_.call(command.ns, std::move(request)), wire::read_steps_written);
}

Result<std::vector<Result<core::StepsWritten>>> HttpRunApi::write_steps_of_many(
    core::WriteStepsOfMany command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  core::Writer out;
  wire::write_steps_of_many(out, command);
  HttpRequest request{.method = "POST", .path = "/v1/" + command.ns + "/steps", .body = out.take()};
  request.repeatable = std::all_of(command.writes.begin(), command.writes.end(), core::may_be_repeated);
  return decoded(connection_.call(command.ns, std::move(request)), [](core::ObjectReader& in) {
    std::vector<Result<core::StepsWritten>> results;
    in.objects_leniently("results",
                         [&](core::ObjectReader& one) { results.push_back(wire::read_step_result(one)); });
    return results;
  });
}

Result<std::vector<core::StepAttempt>> HttpRunApi::list_steps(const core::RunRef& ref) {
  return decoded(connection_.call(ref.ns, {.path = steps_path(ref.ns, ref.id)}), [](core::ObjectReader& in) {
    std::vector<core::StepAttempt> steps;
    in.objects_leniently("items",
                         [&](core::ObjectReader& one) { steps.push_back(wire::read_step_attempt(one)); });
    return steps;
  });
}

Result<core::StepMemoPage> HttpRunApi::list_memo(const core::RunRef& ref, core::NodeKey from) {
  const std::string path =
      fmt::format("/v1/{}/runs/{}/memo?cursor={}", ref.ns, to_string(ref.id), core::cursor_of(from));
  return decoded(connection_.call(ref.ns, {.path = path}), wire::read_memo_page);
}

Result<core::StepMemo> HttpRunApi::get_step(const core::RunRef& ref, const std::string& step_id) {
  const std::string path = steps_path(ref.ns, ref.id) + "/" + wire::percent_encoded(step_id);
  return decoded(connection_.call(ref.ns, {.path = path}), wire::read_step_memo);
}

Result<std::vector<core::RunEvent>> HttpRunApi::list_run_events(const core::ListRunEvents& list) {
  const std::string query = fmt::format("/events?after={}&limit={}", list.after, list.limit);
  auto page =
      page_of(connection_.call(list.run.ns, {.path = run_path(list.run, query)}), wire::read_run_event);
  if (!page) return page.problem();
  return std::move(page->items);
}

Result<core::RunReplay> HttpRunApi::replay_run(const core::RunRef& ref, std::optional<std::int64_t> up_to) {
  const std::string query = up_to ? fmt::format("?up_to={}", *up_to) : "";
  return decoded(connection_.call(ref.ns, {.path = run_path(ref, "/replay" + query)}), wire::read_replay);
}

}  // namespace pawl::client
