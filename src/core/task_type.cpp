#include "core/task_type.hpp"

#include <fmt/format.h>

#include "core/body.hpp"
#include "core/schema.hpp"

namespace pawl::core {

namespace {

RawJson encode(const TaskType& type) {
  Body body;
  body.put("name", type.name);
  body.put("required", type.required);
  body.put("schema", type.schema);
  body.put("queue", type.queue);
  body.put("priority", type.priority);
  body.put("retry", type.retry);
  body.put("timeout", type.timeout);
  body.put("lease", type.lease);
  return body.text();
}

// A schema that asks for the required fields and nothing else.
RawJson schema_of_required(const std::vector<std::string>& required) {
  Body body;
  body.put("type", std::string{"object"});
  body.put("required", required);
  return body.text();
}

Status check_defaults(const TaskType& type) {
  if (type.priority && (*type.priority < kPriorityMin || *type.priority > kPriorityMax))
    return invalid_field("priority", fmt::format("must be from {} to {}", kPriorityMin, kPriorityMax));
  const Status none = Done{};
  return first_of({type.queue ? check_name("queue", *type.queue) : none,
                   type.retry ? check_retry(*type.retry) : none,
                   type.timeout ? check_duration("timeout", *type.timeout, kTimeoutMin, kDurationMax) : none,
                   type.lease ? check_duration("lease", *type.lease, kLeaseMin, kLeaseMax) : none});
}

}  // namespace

RecordRef task_type_ref(const std::string& ns, const std::string& name) {
  return {.kind = RecordKind::task_type, .ns = ns, .key = name};
}

Status check(const PutTaskType& request) {
  const TaskType& type = request.type;
  for (std::size_t i = 0; i < type.required.size(); ++i) {
    const Status name = check_name(fmt::format("required[{}]", i), type.required[i]);
    if (!name) return name;
  }
  const Status checked = first_of({check_namespace(request.ns), check_name("type", type.name),
                                   check_defaults(type), check_json("schema", type.schema)});
  if (!checked || type.schema.empty()) return checked;
  return check_schema("schema", type.schema);
}

Status check(const DeleteTaskType& request) {
  return first_of({check_namespace(request.ns), check_name("type", request.name)});
}

Status check_payload(const TaskType& type, const RawJson& payload) {
  if (!type.required.empty()) {
    const Status required = check_against(schema_of_required(type.required), "payload", payload);
    if (!required) return required;
  }
  return type.schema.empty() ? Status{Done{}} : check_against(type.schema, "payload", payload);
}

void fill_in(const TaskType& type, TaskSpec& spec) {
  if (type.queue && !spec.has_queue()) spec.queue = *type.queue;
  if (type.priority && !spec.has_priority()) spec.priority = *type.priority;
  if (type.retry && !spec.has_retry()) spec.retry = *type.retry;
  if (!spec.timeout) spec.timeout = type.timeout;
}

TaskType task_type_from(const RawJson& text) {
  const Body body{text};
  TaskType type{.name = body.text_of("name"),
                .required = body.get<std::vector<std::string>>("required"),
                .schema = body.raw_of("schema"),
                .queue = body.optional_of<std::string>("queue"),
                .priority = body.optional_of<std::int32_t>("priority"),
                .timeout = body.optional_duration_of("timeout"),
                .lease = body.optional_duration_of("lease")};
  type.retry = body.optional_retry_of("retry");
  return type;
}

Result<RecordDecision> decide_put_type(const PutTaskType& request, FoundRecords /*found*/,
                                       TimePoint /*now*/) {
  RecordDecision decision{.answer = encode(request.type)};
  decision.changes.push_back({.ref = task_type_ref(request.ns, request.type.name), .body = decision.answer});
  decision.audit.push_back(audit_of(request.by, request.ns, "type.put", request.type.name));
  return decision;
}

Result<RecordDecision> decide_delete_type(const DeleteTaskType& request, FoundRecords found,
                                          TimePoint /*now*/) {
  if (!found[0])
    return Problem{.code = ProblemCode::not_found,
                   .detail = fmt::format("there is no type {}", request.name)};
  RecordDecision decision{.answer = found[0]->body};
  decision.changes.push_back({.ref = found[0]->ref});
  decision.audit.push_back(audit_of(request.by, request.ns, "type.delete", request.name));
  return decision;
}

}  // namespace pawl::core
