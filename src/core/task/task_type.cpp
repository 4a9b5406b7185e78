#include "core/task/task_type.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/json/body.hpp"

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

Status check_defaults(const TaskType& type) {
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
  if (type.schema.text.size() > kSchemaBytesMax) {
    Problem problem = invalid_field("schema", fmt::format("has {} bytes, at most {} are possible",
                                                          type.schema.text.size(), kSchemaBytesMax));
    problem.code = ProblemCode::payload_too_large;
    return problem;
  }
  return check_schema("schema", type.schema);
}

Status check(const DeleteTaskType& request) {
  return first_of({check_namespace(request.ns), check_name("type", request.name)});
}

DeclaredType::DeclaredType(TaskType declared)
    : type(std::move(declared)), payload(type.schema, type.required), schema_bytes(type.schema.text.size()) {
  type.schema = {};
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
