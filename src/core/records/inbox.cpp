#include "core/records/inbox.hpp"

#include <utility>

#include "core/json/body.hpp"

namespace pawl::core {

namespace {

// The delay before a call for an undeclared workflow is retried.
constexpr Duration kLookAgain = std::chrono::seconds{5};

EnqueueTasks enqueue_from(const Body& body, const Uuid& id) {
  EnqueueTasks command{.ns = body.text_of("namespace")};
  command.tasks.push_back({.id = TaskId{id},
                           .type = body.text_of("name"),
                           .payload = body.raw_of("payload"),
                           .queue = body.text_of("queue"),
                           .priority = body.get<std::int32_t>("priority"),
                           .key = body.optional_of<std::string>("key"),
                           .idempotency_key = body.optional_of<std::string>("once"),
                           .run_at = body.optional_time_of("run_at")});
  return command;
}

StartRun start_from(const Body& body, const Uuid& id) {
  return {.ns = body.text_of("namespace"),
          .id = RunId{id},
          .workflow = body.text_of("name"),
          .run_key = body.optional_of<std::string>("once"),
          .input = body.raw_of("payload")};
}

SignalRun signal_from(const Body& body) {
  return {
      .run = {.ns = body.text_of("namespace"), .id = RunId{parse_uuid(body.text_of("run")).value_or(Uuid{})}},
      .signal = {.name = body.text_of("name"), .payload = body.raw_of("payload")}};
}

// Written like this by the SQL functions: no name contains a line break.
RecordRef key_ref(const Body& body, const std::string& once) {
  return {.kind = RecordKind::inbox_key,
          .key = body.text_of("call") + "\n" + body.text_of("namespace") + "\n" + body.text_of("name") +
                 "\n" + once};
}

}  // namespace

InboxCall inbox_call_from(const Record& record) {
  const Body body{record.body};
  InboxCall call{.id = record.ref.key,
                 .name = body.text_of("call"),
                 .refs = {record.ref},
                 .is_checked = body.get<bool>("checked")};
  const Uuid id = parse_uuid(record.ref.key).value_or(Uuid{});
  if (call.name == "enqueue") {
    call.command = enqueue_from(body, id);
  } else if (call.name == "start_workflow") {
    call.command = start_from(body, id);
  } else {
    call.command = signal_from(body);
  }
  if (const auto once = body.optional_of<std::string>("once")) call.refs.push_back(key_ref(body, *once));
  return call;
}

RecordRef inbox_ref(std::string id) { return {.kind = RecordKind::inbox, .key = std::move(id)}; }

bool is_promised(const InboxCall& call, const Answer& answer) {
  if (const auto* enqueued = std::get_if<std::vector<Enqueued>>(&answer))
    return to_string(enqueued->front().id) == call.id;
  if (const auto* started = std::get_if<RunStarted>(&answer); started != nullptr && call.name != "signal")
    return to_string(started->run.facts.id) == call.id;
  return true;
}

Result<RecordDecision> refuse(const InboxCall& call, const Problem& problem, FoundRecords found,
                              TimePoint now) {
  RecordDecision decision;
  const bool is_due = found[0] && found[0]->expires_at && *found[0]->expires_at <= now;
  if (!is_due) return decision;  // another node has executed or refused it
  const std::string code{kind_of(problem.code).name};
  Body body{found[0]->body};
  body.put("problem", code + ": " + problem.detail);
  decision.changes.push_back({.ref = call.refs.front(), .body = body.text()});
  const bool is_unknown_workflow =
      problem.code == ProblemCode::not_found && std::holds_alternative<StartRun>(call.command);
  if (is_unknown_workflow) {
    decision.changes.front().expires_at = now + kLookAgain;
    return decision;
  }
  if (found.size() > 1 && found[1]) decision.changes.push_back({.ref = call.refs[1]});
  AuditEntry entry = audit_of({.role = "sql"}, namespace_of(call.command), "sql." + call.name, call.id);
  entry.outcome = code;
  decision.audit.push_back(std::move(entry));
  return decision;
}

}  // namespace pawl::core
