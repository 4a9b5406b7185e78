#include "wire/run_read.hpp"

#include "wire/parts.hpp"

namespace pawl::wire {

namespace {

template <typename Enum>
Enum read_known(ObjectReader& in, std::string_view name, std::optional<Enum> (*from)(std::string_view)) {
  const auto value = from(in.text(name));
  if (!value) in.mistake(name, "has a value that this client does not support");
  return value.value_or(Enum{});
}

// In responses, null means no value.
core::RawJson read_json(ObjectReader& in, std::string_view name) {
  return in.is_null(name) ? core::RawJson{} : in.json(name);
}

core::RunCounts read_counts(ObjectReader& in) {
  const auto count = [&in](std::string_view name) { return in.optional_integer(name).value_or(0); };
  return {.blocked = count("blocked"),
          .pending = count("pending"),
          .running = count("running"),
          .waiting = count("waiting"),
          .completed = count("completed"),
          .failed = count("failed"),
          .skipped = count("skipped"),
          .cancelled = count("cancelled")};
}

core::Node read_run_node(ObjectReader& in) {
  core::Node node;
  if (in.has("item") && !in.is_null("item")) node.key.item = read_int(in, "item");
  node.state = read_known<core::NodeState>(in, "state", core::node_state_from);
  node.task_id = optional_id<core::TaskTag>(in, "task_id");
  node.child_id = optional_id<core::RunTag>(in, "child_run_id");
  node.attempt = read_int(in, "attempt");
  node.output = read_json(in, "output");
  node.error = read_error(in);
  in.optional_object_leniently("items", [&](ObjectReader& items) {
    node.items = static_cast<std::uint32_t>(read_int(items, "total"));
    node.items_left = static_cast<std::uint32_t>(read_int(items, "left"));
    node.items_failed = static_cast<std::uint32_t>(read_int(items, "failed"));
  });
  node.timer_at = in.optional_time("due_at");
  node.scheduled_at = in.optional_time("scheduled_at");
  node.finished_at = in.optional_time("finished_at");
  return node;
}

}  // namespace

core::Run read_run(ObjectReader& in) {
  core::Run run;
  core::RunFacts& facts = run.facts;
  facts.id = optional_id<core::RunTag>(in, "id").value_or(core::RunId{});
  facts.ns = in.text("namespace");
  facts.workflow = in.text("workflow");
  facts.version = read_int(in, "version");
  facts.kind = read_known<core::RunKind>(in, "kind", core::run_kind_from);
  facts.run_key = in.optional_text("run_key");
  run.state = read_known<core::RunState>(in, "state", core::run_state_from);
  run.custom_status = in.optional_text("custom_status");
  facts.input = read_json(in, "input");
  run.output = read_json(in, "output");
  run.error = read_error(in);
  run.compensation_error = read_error(in, "compensation_error");
  in.optional_object_leniently("parent", [&](ObjectReader& parent) {
    facts.parent =
        core::RunParent{.run_id = optional_id<core::RunTag>(parent, "run_id").value_or(core::RunId{}),
                        .node_id = parent.text("node_id")};
  });
  run.deadline_at = in.optional_time("deadline_at");
  run.wake_at = in.optional_time("wake_at");
  facts.labels = in.optional_text_map("labels").value_or(core::Labels{});
  run.sequence = in.integer("sequence");
  in.optional_object_leniently("counts", [&](ObjectReader& counts) { run.counts = read_counts(counts); });
  run.created_at = read_time(in, "created_at");
  run.started_at = in.optional_time("started_at");
  run.finished_at = in.optional_time("finished_at");
  run.updated_at = read_time(in, "updated_at");
  facts.continued_from = optional_id<core::RunTag>(in, "continued_from");
  run.continued_as = optional_id<core::RunTag>(in, "continued_as");
  run.retrying = in.optional_integer("retrying").value_or(0);
  run.cancel_requested = in.optional_boolean("cancel_requested").value_or(false);
  return run;
}

core::RunStarted read_run_started(ObjectReader& in) {
  core::RunStarted started{.created = in.optional_boolean("created").value_or(false)};
  in.optional_object_leniently("run", [&](ObjectReader& run) { started.run = read_run(run); });
  return started;
}

// The array is complete and lists each task before its elements, so the index is found by counting.
std::vector<core::Node> read_run_tasks(ObjectReader& in) {
  std::vector<core::Node> nodes;
  core::NodeIndex next = 0;
  in.objects_leniently("tasks", [&](ObjectReader& one) {
    core::Node& node = nodes.emplace_back(read_run_node(one));
    if (node.key.item == core::kNoItem) ++next;
    node.key.index = next - 1;
  });
  return nodes;
}

core::RunEvent read_run_event(ObjectReader& in) {
  core::RunEvent event;
  event.sequence = in.integer("sequence");
  event.type = read_known<core::RunEventType>(in, "type", core::run_event_type_from);
  event.at = read_time(in, "at");
  if (auto data = core::parse_payload(in.json("payload").text)) {
    event.data = std::move(*data);
  } else {
    in.mistake("payload", data.problem().detail);
  }
  event.caused_by = in.optional_integer("caused_by");
  in.optional_object_leniently("actor", [&](ObjectReader& actor) {
    event.actor = {.type = actor.text("type"), .id = text_or_none(actor, "id")};
  });
  event.trace_id = text_or_none(in, "trace_id");
  event.span_id = text_or_none(in, "span_id");
  return event;
}

core::RunReplay read_replay(ObjectReader& in) {
  core::RunReplay replay;
  in.optional_object_leniently("state", [&](ObjectReader& run) { replay.rebuilt.run = read_run(run); });
  replay.differences = in.optional_texts("differences").value_or(std::vector<std::string>{});
  return replay;
}

}  // namespace pawl::wire
