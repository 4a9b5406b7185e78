#include "wire/schedule.hpp"

#include <fmt/format.h>

#include "wire/task.hpp"

namespace pawl::wire {

namespace {

void field_or_null(Writer& out, std::string_view name, const std::string& text) {
  if (text.empty()) {
    out.key(name).null();
  } else {
    out.field(name, text);
  }
}

std::optional<core::Overlap> read_overlap(ObjectReader& in) {
  const auto name = in.optional_text("overlap");
  if (!name) return std::nullopt;
  const auto overlap = core::overlap_from(*name);
  if (!overlap) in.mistake("overlap", "is not allow, skip, queue or cancel_previous");
  return overlap;
}

// An absent value keeps its current setting.
struct DstGiven {
  std::optional<core::DstGap> gap = {};
  std::optional<core::DstFold> fold = {};
};

DstGiven read_dst(ObjectReader& in) {
  DstGiven given;
  in.optional_object("dst", [&](ObjectReader& object) {
    const auto gap = object.optional_text("gap");
    const auto fold = object.optional_text("fold");
    if (gap) given.gap = core::dst_gap_from(*gap);
    if (fold) given.fold = core::dst_fold_from(*fold);
    if (gap && !given.gap) object.mistake("gap", fmt::format("\"{}\" is not shift or skip", *gap));
    if (fold && !given.fold) object.mistake("fold", fmt::format("\"{}\" is not first, last or both", *fold));
  });
  return given;
}

void write_dst(Writer& out, core::Dst dst) {
  out.key("dst")
      .begin_object()
      .field("gap", core::to_string(dst.gap))
      .field("fold", core::to_string(dst.fold))
      .end_object();
}

std::optional<core::TaskSpec> read_task(ObjectReader& in) {
  std::optional<core::TaskSpec> task;
  in.optional_object("task", [&](ObjectReader& object) { task = read_task_spec(object); });
  if (!task) return task;
  const bool is_own = task->idempotency_key || task->delay || task->run_at || task->run_id;
  if (is_own) in.mistake("task", "cannot have idempotency_key, delay, run_at or run_id: its slots give them");
  return task;
}

// None: not given. A null in the request clears the value.
template <typename Value>
std::optional<std::optional<Value>> given(ObjectReader& in, std::string_view name,
                                          std::optional<Value> value) {
  if (!in.has(name)) return std::nullopt;
  return value;
}

// Fields that requests may set and responses show.
core::Schedule read_asked(ObjectReader& in) {
  core::Schedule schedule;
  schedule.name = in.text("name");
  schedule.cron = in.optional_text("cron").value_or("");
  schedule.every = in.optional_duration("every");
  schedule.timezone = in.optional_text("timezone").value_or(schedule.timezone);
  schedule.workflow = in.optional_text("workflow").value_or("");
  schedule.task = read_task(in);
  schedule.input = in.json("input");
  schedule.queue = in.optional_text("queue");
  schedule.enabled = in.optional_boolean("enabled").value_or(true);
  const DstGiven dst = read_dst(in);
  schedule.dst = {.gap = dst.gap.value_or(schedule.dst.gap), .fold = dst.fold.value_or(schedule.dst.fold)};
  core::narrow_into(in, "max_catchup", schedule.max_catchup);
  schedule.overlap = read_overlap(in).value_or(schedule.overlap);
  schedule.jitter = in.optional_duration("jitter").value_or(schedule.jitter);
  schedule.start_at = in.optional_time("start_at");
  schedule.end_at = in.optional_time("end_at");
  return schedule;
}

}  // namespace

void write_schedule(Writer& out, const core::Schedule& schedule) {
  out.begin_object().field("id", schedule.id).field("name", schedule.name);
  field_or_null(out, "cron", schedule.cron);
  out.field("every", schedule.every).field("timezone", schedule.timezone);
  field_or_null(out, "workflow", schedule.workflow);
  out.key("task");
  if (schedule.task) {
    write_task_spec(out, *schedule.task);
  } else {
    out.null();
  }
  out.field("input", schedule.input).field("queue", schedule.queue).field("enabled", schedule.enabled);
  write_dst(out, schedule.dst);
  out.field("max_catchup", schedule.max_catchup)
      .field("overlap", core::to_string(schedule.overlap))
      .field("jitter", schedule.jitter)
      .field("start_at", schedule.start_at)
      .field("end_at", schedule.end_at)
      .field("next_fire_at", schedule.enabled ? schedule.next_fire_at : std::nullopt)
      .field("last_fired_at", schedule.last_fired_at)
      .field("created_at", schedule.created_at)
      .field("updated_at", schedule.updated_at)
      .end_object();
}

void write_firing(Writer& out, const core::Firing& firing) {
  out.begin_object()
      .field("schedule", firing.schedule)
      .field("fire_at", firing.slot)
      .field("until", firing.until)
      .field("origin", core::to_string(firing.origin))
      .field("status", core::to_string(firing.status));
  field_or_null(out, "reason", firing.reason);
  field_or_null(out, "run_id", firing.run_id);
  field_or_null(out, "task_id", firing.task_id);
  out.field("updated_at", firing.updated_at).end_object();
}

core::SchedulePatch read_schedule_patch(ObjectReader& in) {
  core::SchedulePatch patch;
  patch.cron = in.optional_text("cron");
  patch.every = in.optional_duration("every");
  patch.timezone = in.optional_text("timezone");
  patch.workflow = in.optional_text("workflow");
  patch.task = read_task(in);
  if (in.has("input")) patch.input = in.json("input");
  patch.queue = given(in, "queue", in.optional_text("queue"));
  patch.enabled = in.optional_boolean("enabled");
  const DstGiven dst = read_dst(in);
  patch.dst_gap = dst.gap;
  patch.dst_fold = dst.fold;
  if (in.has("max_catchup")) {
    int most = 0;
    core::narrow_into(in, "max_catchup", most);
    patch.max_catchup = most;
  }
  patch.overlap = read_overlap(in);
  patch.jitter = in.optional_duration("jitter");
  patch.start_at = given(in, "start_at", in.optional_time("start_at"));
  patch.end_at = given(in, "end_at", in.optional_time("end_at"));
  return patch;
}

core::Schedule read_new_schedule(ObjectReader& in) { return read_asked(in); }

void write_new_schedule(Writer& out, const core::Schedule& schedule) {
  out.begin_object().field("name", schedule.name);
  field_or_null(out, "cron", schedule.cron);
  out.field("every", schedule.every).field("timezone", schedule.timezone);
  field_or_null(out, "workflow", schedule.workflow);
  if (schedule.task) {
    out.key("task");
    write_task_spec(out, *schedule.task);
  }
  out.field("input", schedule.input).field("queue", schedule.queue).field("enabled", schedule.enabled);
  write_dst(out, schedule.dst);
  out.field("max_catchup", schedule.max_catchup)
      .field("overlap", core::to_string(schedule.overlap))
      .field("jitter", schedule.jitter)
      .field("start_at", schedule.start_at)
      .field("end_at", schedule.end_at)
      .end_object();
}

void write_schedule_patch(Writer& out, const core::SchedulePatch& patch) {
  const auto put = [&out](std::string_view name, const auto& value) {
    if (value) out.field(name, *value);
  };
  out.begin_object();
  put("cron", patch.cron);
  put("every", patch.every);
  put("timezone", patch.timezone);
  put("workflow", patch.workflow);
  if (patch.task) {
    out.key("task");
    write_task_spec(out, *patch.task);
  }
  put("input", patch.input);
  put("queue", patch.queue);
  put("enabled", patch.enabled);
  if (patch.dst_gap || patch.dst_fold) {
    out.key("dst").begin_object();
    if (patch.dst_gap) out.field("gap", core::to_string(*patch.dst_gap));
    if (patch.dst_fold) out.field("fold", core::to_string(*patch.dst_fold));
    out.end_object();
  }
  put("max_catchup", patch.max_catchup);
  if (patch.overlap) out.field("overlap", core::to_string(*patch.overlap));
  put("jitter", patch.jitter);
  put("start_at", patch.start_at);
  put("end_at", patch.end_at);
  out.end_object();
}

core::Schedule read_schedule(ObjectReader& in) {
  core::Schedule schedule = read_asked(in);
  schedule.id = in.text("id");
  schedule.next_fire_at = in.optional_time("next_fire_at");
  schedule.last_fired_at = in.optional_time("last_fired_at");
  schedule.created_at = in.optional_time("created_at").value_or(core::TimePoint{});
  schedule.updated_at = in.optional_time("updated_at").value_or(core::TimePoint{});
  return schedule;
}

core::Firing read_firing(ObjectReader& in) {
  return {.schedule = in.text("schedule"),
          .slot = in.optional_time("fire_at").value_or(core::TimePoint{}),
          .until = in.optional_time("until"),
          .origin = core::firing_origin_from(in.text("origin")).value_or(core::FiringOrigin::slot),
          .status = core::firing_status_from(in.text("status")).value_or(core::FiringStatus::waiting),
          .reason = in.optional_text("reason").value_or(""),
          .run_id = in.optional_text("run_id").value_or(""),
          .task_id = in.optional_text("task_id").value_or(""),
          .updated_at = in.optional_time("updated_at").value_or(core::TimePoint{})};
}

}  // namespace pawl::wire
