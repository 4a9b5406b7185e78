#include "wire/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "wire/parts.hpp"

namespace pawl::wire {

namespace {

core::OnConflict read_on_conflict(ObjectReader& in) {
  const auto name = in.optional_text("on_conflict");
  if (!name) return core::OnConflict::return_existing;
  const auto known = core::on_conflict_from(*name);
  if (!known) in.mistake("on_conflict", "must be return_existing, fail or restart_if_closed");
  return known.value_or(core::OnConflict::return_existing);
}

// Fields common to starting a workflow and opening a run.
template <typename Request>
void read_beginning(ObjectReader& in, Request& request) {
  request.run_key = in.optional_text("run_key");
  request.input = in.json("input");
  request.deadline = in.optional_duration("deadline");
  request.deadline_at = in.optional_time("deadline_at");
  if (request.deadline && request.deadline_at) in.mistake("deadline_at", "cannot be given with deadline");
  request.labels = in.optional_text_map("labels").value_or(core::Labels{});
  request.on_conflict = read_on_conflict(in);
}

template <typename Request>
void write_beginning(Writer& out, const Request& request) {
  field_if(out, "run_key", request.run_key);
  if (!request.input.empty()) out.field("input", request.input);
  field_if(out, "deadline", request.deadline);
  field_if(out, "deadline_at", request.deadline_at);
  out.key("labels");
  write_labels(out, request.labels);
  if (request.on_conflict != core::OnConflict::return_existing)
    out.field("on_conflict", core::to_string(request.on_conflict));
}

void write_counts(Writer& out, const core::RunCounts& counts) {
  out.begin_object()
      .field("blocked", counts.blocked)
      .field("pending", counts.pending)
      .field("running", counts.running)
      .field("completed", counts.completed)
      .field("failed", counts.failed)
      .field("waiting", counts.waiting)
      .field("skipped", counts.skipped)
      .field("cancelled", counts.cancelled)
      .end_object();
}

// The definition's task for a node; null for an open run.
const core::DefinitionTask* task_of(const core::RunView& view, const core::Node& node) {
  if (!view.definition || node.key.index >= view.definition->tasks.size()) return nullptr;
  return &view.definition->tasks[node.key.index];
}

std::string node_id_of(const core::Run& run, const core::Node& node, const std::string& task_id) {
  if (run.facts.kind != core::RunKind::code) return task_id;
  return node.key == core::kBodyKey ? "body" : node.name;
}

void write_node(Writer& out, const core::RunView& view, const core::Node& node) {
  const core::DefinitionTask* task = task_of(view, node);
  const std::string task_id = node.task_id ? to_string(*node.task_id) : "";
  const std::string node_id = task != nullptr ? task->id : node_id_of(view.run, node, task_id);
  out.begin_object()
      .field("id", core::node_name(node_id, node.key))
      .field("node_id", node_id)
      .field("item", node.key.item == core::kNoItem ? std::nullopt : std::optional<int>{node.key.item})
      .field("type", node.kind ? core::to_string(*node.kind)
                               : core::to_string(task != nullptr ? task->type : core::NodeType::activity))
      .field("state", core::to_string(core::shown_state(view.run, node)))
      .field("task_id", none_if_empty(task_id));
  id_field(out, "child_run_id", node.child_id);
  out.field("attempt", node.attempt).field("output", node.output).key("error");
  write_error(out, node.error);
  out.key("items");
  if (node.items) {
    out.begin_object()
        .field("total", std::int64_t{*node.items})
        .field("left", std::int64_t{node.items_left})
        .field("failed", std::int64_t{node.items_failed})
        .end_object();
  } else {
    out.null();
  }
  out.field("due_at", node.timer_at)
      .field("awaits", none_if_empty(node.awaits))
      .field("scheduled_at", node.scheduled_at)
      .field("finished_at", node.finished_at)
      .end_object();
}

}  // namespace

core::StartRun read_start_run(ObjectReader& in) {
  core::StartRun request;
  read_beginning(in, request);
  if (in.has("version") && !in.is_null("version")) narrow_into(in, "version", request.version.emplace());
  request.queue = in.optional_text("queue");
  if (in.has("priority") && !in.is_null("priority")) narrow_into(in, "priority", request.priority.emplace());
  if (const auto kind = in.optional_text("kind")) {
    request.kind = core::run_kind_from(*kind);
    if (request.kind != core::RunKind::code) in.mistake("kind", "can only be code");
  }
  return request;
}

void write_start_run(Writer& out, const core::StartRun& request) {
  out.begin_object();
  write_beginning(out, request);
  field_if(out, "version", request.version);
  field_if(out, "queue", request.queue);
  field_if(out, "priority", request.priority);
  if (request.kind) out.field("kind", core::to_string(*request.kind));
  out.end_object();
}

core::OpenRun read_open_run(ObjectReader& in) {
  core::OpenRun request;
  read_beginning(in, request);
  request.workflow = in.optional_text("workflow").value_or(request.workflow);
  request.auto_complete = in.optional_boolean("auto_complete").value_or(false);
  return request;
}

void write_open_run(Writer& out, const core::OpenRun& request) {
  out.begin_object();
  write_beginning(out, request);
  out.field("workflow", request.workflow).field("auto_complete", request.auto_complete).end_object();
}

namespace {

// JSON bodies have true, queries have the text "true".
bool read_switch(ObjectReader& in, std::string_view name) {
  const std::string text = in.json(name).text;
  if (text == "true" || text == R"("true")") return true;
  if (!text.empty() && text != "false" && text != R"("false")") in.mistake(name, "must be true or false");
  return false;
}

}  // namespace

core::RunQuery read_run_query(ObjectReader& in) {
  core::RunQuery query;
  for (const std::string& name : read_comma_list(in, "state")) {
    if (const auto state = core::run_state_from(name)) {
      query.states.push_back(*state);
    } else {
      in.mistake("state", fmt::format("'{}' is not a state of runs", name));
    }
  }
  query.retrying = read_switch(in, "retrying");
  query.workflow = in.optional_text("workflow");
  query.run_key = in.optional_text("run_key");
  query.parent = optional_id<core::RunTag>(in, "parent");
  query.label = read_label(in);
  query.created_after = in.optional_time("created_after");
  query.created_before = in.optional_time("created_before");
  return query;
}

void write_run_query(Writer& out, const core::RunQuery& query) {
  out.begin_object();
  if (!query.states.empty()) {
    std::string names;
    for (const core::RunState state : query.states)
      names += (names.empty() ? "" : ",") + std::string{core::to_string(state)};
    out.field("state", names);
  }
  if (query.retrying) out.field("retrying", true);
  field_if(out, "workflow", query.workflow);
  field_if(out, "run_key", query.run_key);
  if (query.parent) out.field("parent", to_string(*query.parent));
  if (query.label) out.field("label", query.label->first + ":" + query.label->second);
  field_if(out, "created_after", query.created_after);
  field_if(out, "created_before", query.created_before);
  out.end_object();
}

core::BulkRuns read_bulk_runs(ObjectReader& in) {
  core::BulkRuns bulk;
  in.optional_object("filter", [&](ObjectReader& filter) { bulk.query = read_run_query(filter); });
  bulk.limit = static_cast<int>(std::clamp<std::int64_t>(in.optional_integer("limit").value_or(bulk.limit),
                                                         -1, core::kBulkTasksMax + 1));
  bulk.reason = in.optional_text("reason");
  bulk.dry_run = in.optional_boolean("dry_run").value_or(false);
  return bulk;
}

void write_bulk_runs(Writer& out, const core::BulkRuns& bulk) {
  out.begin_object().key("filter");
  write_run_query(out, bulk.query);
  field_if(out, "reason", bulk.reason);
  out.field("limit", bulk.limit).field("dry_run", bulk.dry_run).end_object();
}

core::SignalSent read_signal(ObjectReader& in) {
  return {.payload = in.json("payload"), .idempotency_key = in.optional_text("idempotency_key")};
}

void write_signal(Writer& out, const core::SignalSent& signal) {
  out.begin_object();
  if (!signal.payload.empty()) out.field("payload", signal.payload);
  field_if(out, "idempotency_key", signal.idempotency_key);
  out.end_object();
}

void write_run_fields(Writer& out, const core::Run& run) {
  const core::RunFacts& facts = run.facts;
  out.field("id", to_string(facts.id))
      .field("namespace", facts.ns)
      .field("workflow", facts.workflow)
      .field("version", facts.version == 0 ? std::nullopt : std::optional{facts.version})
      .field("kind", core::to_string(facts.kind))
      .field("run_key", facts.run_key)
      .field("state", core::to_string(run.state))
      .field("custom_status", run.custom_status)
      .field("input", facts.input)
      .field("output", run.output)
      .key("error");
  write_error(out, run.error);
  out.key("parent");
  if (facts.parent) {
    out.begin_object()
        .field("run_id", to_string(facts.parent->run_id))
        .field("node_id", facts.parent->node_id)
        .end_object();
  } else {
    out.null();
  }
  out.field("deadline_at", run.deadline_at).field("wake_at", run.wake_at).key("labels");
  write_labels(out, facts.labels);
  out.field("sequence", run.sequence).key("counts");
  write_counts(out, core::shown_counts(run));
  out.field("created_at", run.created_at)
      .field("started_at", run.started_at)
      .field("finished_at", run.finished_at)
      .field("updated_at", run.updated_at);
  if (facts.continued_from) out.field("continued_from", to_string(*facts.continued_from));
  if (run.continued_as) out.field("continued_as", to_string(*run.continued_as));
  if (core::is_retrying(run)) out.field("retrying", run.retrying);
  if (run.cancel_requested) out.field("cancel_requested", true);  // requested, not yet completed
  if (!run.compensation_error) return;
  out.key("compensation_error");
  write_error(out, run.compensation_error);
}

void write_run(Writer& out, const core::Run& run) {
  out.begin_object();
  write_run_fields(out, run);
  out.end_object();
}

void write_run_started(Writer& out, const core::RunStarted& started) {
  out.begin_object().field("created", started.created).key("run");
  write_run(out, started.run);
  out.end_object();
}

void write_run_tasks(Writer& out, const core::RunView& view) {
  out.begin_array();
  for (const core::Node& node : view.nodes) write_node(out, view, node);
  out.end_array();
}

void write_run_graph(Writer& out, const core::RunGraph& graph) {
  out.begin_object().key("nodes").begin_array();
  for (const core::RunGraphNode& node : graph.nodes) {
    out.begin_object()
        .field("id", node.id)
        .field("type", core::to_string(node.type))
        .field("state", core::to_string(node.state));
    id_field(out, "task_id", node.task_id);
    out.field("attempt", node.attempt).end_object();
  }
  out.end_array().key("edges").begin_array();
  for (const core::RunGraphEdge& edge : graph.edges)
    out.begin_object().field("from", edge.from).field("to", edge.to).end_object();
  out.end_array().end_object();
}

void write_run_event(Writer& out, const core::RunId& run, const core::RunEvent& event) {
  out.begin_object()
      .field("sequence", event.sequence)
      .field("event_id", core::event_id(run, event))
      .field("type", core::to_string(event.type))
      .field("at", event.at)
      .field("payload", core::payload_of(event.data))
      .field("caused_by", event.caused_by)
      .key("actor")
      .begin_object()
      .field("type", event.actor.type)
      .field("id", none_if_empty(event.actor.id))
      .end_object()
      .field("trace_id", none_if_empty(event.trace_id))
      .field("span_id", none_if_empty(event.span_id))
      .end_object();
}

void write_replay(Writer& out, const core::RunReplay& replay) {
  out.begin_object().key("state");
  write_run(out, replay.rebuilt.run);
  out.field("matches", replay.differences.empty()).key("differences").begin_array();
  for (const std::string& difference : replay.differences) out.value(difference);
  out.end_array().end_object();
}

}  // namespace pawl::wire
