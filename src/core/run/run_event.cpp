#include "core/run/run_event.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/base/enum_names.hpp"
#include "core/base/sha256.hpp"
#include "core/json/json_reader.hpp"
#include "core/json/json_writer.hpp"
#include "core/task/retry_json.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRunEventTypeCount> kEventTypeNames{"workflow_created",
                                                                           "workflow_started",
                                                                           "workflow_sleeping",
                                                                           "workflow_woken",
                                                                           "workflow_paused",
                                                                           "workflow_resumed",
                                                                           "workflow_completed",
                                                                           "workflow_failed",
                                                                           "workflow_cancelled",
                                                                           "workflow_retried",
                                                                           "task_scheduled",
                                                                           "task_started",
                                                                           "task_completed",
                                                                           "task_failed",
                                                                           "task_retrying",
                                                                           "task_timed_out",
                                                                           "task_skipped",
                                                                           "task_cancelled",
                                                                           "step_started",
                                                                           "step_completed",
                                                                           "step_failed",
                                                                           "step_retrying",
                                                                           "signal_received",
                                                                           "signal_consumed",
                                                                           "timer_set",
                                                                           "timer_fired",
                                                                           "child_started",
                                                                           "child_finished",
                                                                           "lease_expired",
                                                                           "recovery_started",
                                                                           "deadline_exceeded",
                                                                           "compensation_triggered",
                                                                           "compensation_completed",
                                                                           "compensation_failed",
                                                                           "checkpoint_written"};

template <typename Tag>
void field_if(Writer& out, std::string_view name, const std::optional<Id<Tag>>& id) {
  if (id) out.field(name, to_string(*id));
}
void flag_if(Writer& out, std::string_view name, bool is_set) {
  if (is_set) out.field(name, true);
}

void write_key(Writer& out, std::string_view name, const NodeKey& key) {
  out.key(name).begin_array().value(std::int64_t{key.index});
  if (key.item != kNoItem) out.value(std::int64_t{key.item});
  out.end_array();
}

void write_facts(Writer& out, const RunFacts& facts) {
  out.key("run").begin_object();
  out.field("id", to_string(facts.id)).field("namespace", facts.ns).field("workflow", facts.workflow);
  out.field("version", facts.version).field("kind", to_string(facts.kind));
  field_if(out, "run_key", facts.run_key);
  field_if(out, "input", facts.input);
  out.field("queue", facts.queue).field("priority", facts.priority);
  out.field("on_failure", to_string(facts.on_failure));
  flag_if(out, "auto_complete", facts.auto_complete);
  field_if(out, "deadline_at", facts.deadline_at);
  if (facts.parent) {
    out.key("parent").begin_object().field("run_id", to_string(facts.parent->run_id));
    write_key(out, "node", facts.parent->node);
    out.field("node_id", facts.parent->node_id).end_object();
  }
  if (facts.depth != 0) out.field("depth", facts.depth);
  if (!facts.labels.empty()) {
    out.key("labels").begin_object();
    for (const auto& [name, value] : facts.labels) out.field(name, value);
    out.end_object();
  }
  field_if(out, "rewound_from", facts.rewound_from);
  field_if(out, "continued_from", facts.continued_from);
  field_if(out, "trace_id", facts.trace_id);
  field_if(out, "span_id", facts.span_id);
  if (facts.trace_flags != kTraceSampled) out.field("trace_flags", std::int64_t{facts.trace_flags});
  field_if(out, "tracestate", facts.tracestate);
  out.end_object();
}

void write_error(Writer& out, const TaskError& error) {
  out.key("error").begin_object().field("code", error.code).field("message", error.message);
  out.field("retryable", error.retryable).end_object();
}

// Null is a value: an output of null differs from no output.
RawJson json_of(ObjectReader& in, std::string_view name) {
  return in.is_null(name) ? RawJson{"null"} : in.json(name);
}

template <typename T>
void read_number(ObjectReader& in, std::string_view name, std::string_view digits, T& into) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || last != end || value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    in.mistake(name, "must name a task of the run");
  } else {
    into = static_cast<T>(value);
  }
}

std::optional<NodeKey> read_key(ObjectReader& in, std::string_view name) {
  if (!in.has(name)) return std::nullopt;
  const std::vector<std::string_view> parts = in.elements(name);
  NodeKey key;
  if (parts.empty() || parts.size() > 2) {
    in.mistake(name, "must name a task of the run");
    return key;
  }
  read_number(in, name, parts[0], key.index);
  if (parts.size() == 2) read_number(in, name, parts[1], key.item);
  return key;
}

template <typename Tag>
void read_id(ObjectReader& in, std::string_view name, std::optional<Id<Tag>>& into) {
  if (const auto id = in.optional_uuid(name)) into = Id<Tag>{*id};
}

template <typename Enum>
void read_enum(ObjectReader& in, std::string_view name, std::optional<Enum> (*from)(std::string_view),
               const std::function<void(Enum)>& set) {
  const auto text = in.optional_text(name);
  if (!text) return;
  const auto value = from(*text);
  if (!value) return in.mistake(name, fmt::format("'{}' is not known", *text));
  set(*value);
}

RunFacts read_facts(ObjectReader& in) {
  RunFacts facts{.id = RunId{in.optional_uuid("id").value_or(Uuid{})},
                 .ns = in.text("namespace"),
                 .workflow = in.text("workflow")};
  narrow_into(in, "version", facts.version);
  read_enum<RunKind>(in, "kind", run_kind_from, [&](RunKind kind) { facts.kind = kind; });
  facts.run_key = in.optional_text("run_key");
  facts.input = json_of(in, "input");
  facts.queue = in.text("queue");
  narrow_into(in, "priority", facts.priority);
  facts.on_failure = in.text("on_failure") == "compensate" ? OnFailure::compensate : OnFailure::fail;
  facts.auto_complete = in.optional_boolean("auto_complete").value_or(false);
  facts.deadline_at = in.optional_time("deadline_at");
  in.optional_object("parent", [&](ObjectReader& parent) {
    facts.parent = RunParent{.run_id = RunId{parent.optional_uuid("run_id").value_or(Uuid{})},
                             .node = read_key(parent, "node").value_or(NodeKey{}),
                             .node_id = parent.text("node_id")};
  });
  narrow_into(in, "depth", facts.depth);
  facts.labels = in.optional_text_map("labels").value_or(Labels{});
  read_id(in, "rewound_from", facts.rewound_from);
  read_id(in, "continued_from", facts.continued_from);
  facts.trace_id = in.optional_text("trace_id").value_or("");
  facts.span_id = in.optional_text("span_id").value_or("");
  narrow_into(in, "trace_flags", facts.trace_flags);
  facts.tracestate = in.optional_text("tracestate").value_or("");
  return facts;
}

std::optional<TaskError> read_error(ObjectReader& in) {
  std::optional<TaskError> error;
  in.optional_object("error", [&](ObjectReader& one) {
    error = TaskError{.code = one.text("code"),
                      .message = one.text("message"),
                      .retryable = one.optional_boolean("retryable").value_or(true)};
  });
  return error;
}

void read_after(ObjectReader& in, std::vector<NodeIndex>& after) {
  if (!in.has("after")) return;
  for (const std::string_view one : in.elements("after")) read_number(in, "after", one, after.emplace_back());
}

}  // namespace

std::string_view to_string(RunEventType type) { return kEventTypeNames.at(static_cast<std::size_t>(type)); }

std::optional<RunEventType> run_event_type_from(std::string_view name) {
  return enum_from<RunEventType>(kEventTypeNames, name);
}

std::string event_id(const RunId& run, const RunEvent& event) {
  return to_string(derived_id(event.at, run, event.sequence));
}

std::string event_hash(const std::string& hash_before, const RunId& run, const RunEvent& event,
                       const RawJson& payload) {
  constexpr std::size_t kAllButPayload = 400;
  Writer out{kAllButPayload + payload.text.size() * 2};  // an upper bound, in quotes
  out.begin_array().value(hash_before).value(to_string(run)).value(event.sequence);
  out.value(to_string(event.type)).value(micros(event.at)).value(event.caused_by.value_or(0));
  out.value(event.actor.type).value(event.actor.id).value(event.trace_id).value(event.span_id);
  out.value(payload.text).end_array();  // as a text, so that every byte counts
  return sha256_hex(out.take());
}

RawJson payload_of(const RunEventData& data) {
  constexpr std::size_t kMostly = 250;
  Writer out{kMostly + data.output.text.size() + data.input.text.size()};
  out.begin_object();
  if (data.run) write_facts(out, *data.run);
  if (data.state) out.field("state", to_string(*data.state));
  field_if(out, "reason", data.reason);
  flag_if(out, "requested", data.requested);
  field_if(out, "node_id", data.node_id);
  if (data.node) write_key(out, "node", *data.node);
  if (data.node_state != NodeState::pending) out.field("node_state", to_string(data.node_state));
  field_if(out, "task_id", data.task_id);
  field_if(out, "child_run_id", data.child_id);
  field_if(out, "continued_as", data.continued_as);
  if (data.items) out.field("items", std::int64_t{*data.items});
  if (!data.after.empty()) {
    out.key("after").begin_array();
    for (const NodeIndex index : data.after) out.value(std::int64_t{index});
    out.end_array();
  }
  if (data.undoes) write_key(out, "undoes", *data.undoes);
  if (data.attempt != 0) out.field("attempt", data.attempt);
  field_if(out, "worker_id", data.worker_id);
  field_if(out, "output", data.output);
  if (data.error) write_error(out, *data.error);
  field_if(out, "until", data.until);
  flag_if(out, "kept", data.is_kept);
  flag_if(out, "nothing_to_undo", data.nothing_to_undo);
  flag_if(out, "deferral", data.is_deferral);
  if (data.cost.rendered != 0) out.field("rendered_bytes", data.cost.rendered);
  if (data.cost.scanned != 0) out.field("scanned_bytes", data.cost.scanned);
  if (data.undos) {
    out.key("undos").begin_array();
    for (const std::string& name : *data.undos) out.value(name);
    out.end_array();
  }
  field_if(out, "signal", data.signal);
  field_if(out, "idempotency_key", data.idempotency_key);
  if (data.signal_sequence != 0) out.field("signal_sequence", data.signal_sequence);
  field_if(out, "custom_status", data.custom_status);
  if (data.kind) out.field("kind", to_string(*data.kind));
  if (data.retry) {
    out.key("retry");
    write_retry(out, *data.retry);
  }
  field_if(out, "input", data.input);
  field_if(out, "detail", data.detail);
  out.end_object();
  return {out.take()};
}

Result<RunEventData> parse_payload(std::string_view payload) {
  Mistakes mistakes;
  ObjectReader in{payload, "", mistakes};
  RunEventData data;
  in.optional_object("run", [&](ObjectReader& run) { data.run = read_facts(run); });
  read_enum<RunState>(in, "state", run_state_from, [&](RunState state) { data.state = state; });
  data.reason = in.optional_text("reason");
  data.requested = in.optional_boolean("requested").value_or(false);
  data.node_id = in.optional_text("node_id").value_or("");
  data.node = read_key(in, "node");
  read_enum<NodeState>(in, "node_state", node_state_from, [&](NodeState state) { data.node_state = state; });
  read_id(in, "task_id", data.task_id);
  read_id(in, "child_run_id", data.child_id);
  read_id(in, "continued_as", data.continued_as);
  if (in.has("items")) narrow_into(in, "items", data.items.emplace());
  read_after(in, data.after);
  data.undoes = read_key(in, "undoes");
  narrow_into(in, "attempt", data.attempt);
  data.worker_id = in.optional_text("worker_id").value_or("");
  data.output = json_of(in, "output");
  data.error = read_error(in);
  data.until = in.optional_time("until");
  data.is_kept = in.optional_boolean("kept").value_or(false);
  data.nothing_to_undo = in.optional_boolean("nothing_to_undo").value_or(false);
  data.is_deferral = in.optional_boolean("deferral").value_or(false);
  data.cost = {.rendered = in.optional_integer("rendered_bytes").value_or(0),
               .scanned = in.optional_integer("scanned_bytes").value_or(0)};
  data.undos = in.optional_texts("undos");
  data.signal = in.optional_text("signal").value_or("");
  data.idempotency_key = in.optional_text("idempotency_key");
  data.signal_sequence = in.optional_integer("signal_sequence").value_or(0);
  data.custom_status = in.optional_text("custom_status");
  read_enum<StepKind>(in, "kind", step_kind_from, [&](StepKind kind) { data.kind = kind; });
  in.optional_object("retry", [&](ObjectReader& retry) { data.retry = read_retry_policy(retry); });
  data.input = json_of(in, "input");
  data.detail = json_of(in, "detail");
  in.finish();
  if (mistakes.any()) return mistakes.problem();
  return data;
}

}  // namespace pawl::core
