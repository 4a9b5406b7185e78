#include "core/schedule/schedule.hpp"

#include <fmt/format.h>

#include "core/base/enum_names.hpp"
#include "core/json/body.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kOverlapCount> kOverlapNames{"allow", "skip", "queue",
                                                                    "cancel_previous"};
constexpr std::array<std::string_view, kFiringStatusCount> kFiringStatusNames{"waiting", "fired", "skipped"};
constexpr std::array<std::string_view, kFiringOriginCount> kOriginNames{"slot", "trigger", "backfill"};

RawJson encode_previous(const PreviousFiring& previous) {
  Body body;
  body.put("slot", previous.slot);
  if (!previous.run_id.empty()) body.put("run_id", previous.run_id);
  if (!previous.task_id.empty()) body.put("task_id", previous.task_id);
  return body.text();
}

PreviousFiring previous_from(const RawJson& text) {
  const Body body{text};
  return {.slot = body.optional_time_of("slot"),
          .run_id = body.text_of("run_id"),
          .task_id = body.text_of("task_id")};
}

RawJson encode_task(const TaskSpec& task) {
  Body body;
  body.put("type", task.type);
  body.put("payload", task.payload);
  body.put("queue", task.queue);
  body.put("has_queue", task.has_queue());
  body.put("priority", task.priority);
  body.put("has_priority", task.has_priority());
  body.put("key", task.key);
  if (task.has_retry()) body.put("retry", task.retry);
  body.put("timeout", task.timeout);
  body.put("labels", task.labels);
  return body.text();
}

TaskSpec task_from(const RawJson& text) {
  const Body body{text};
  TaskSpec task{.type = body.text_of("type"),
                .payload = body.raw_of("payload"),
                .queue = body.text_of("queue"),
                .priority = body.get<std::int32_t>("priority"),
                .key = body.optional_of<std::string>("key"),
                .timeout = body.optional_duration_of("timeout"),
                .labels = body.get<Labels>("labels")};
  task.given = {.queue = body.get<bool>("has_queue"), .priority = body.get<bool>("has_priority")};
  if (const auto retry = body.optional_retry_of("retry")) {
    task.retry = *retry;
    task.given.retry = true;
  }
  return task;
}

}  // namespace

std::string_view to_string(Overlap overlap) { return kOverlapNames.at(static_cast<std::size_t>(overlap)); }
std::optional<Overlap> overlap_from(std::string_view name) { return enum_from<Overlap>(kOverlapNames, name); }
std::string_view to_string(FiringStatus status) {
  return kFiringStatusNames.at(static_cast<std::size_t>(status));
}
std::optional<FiringStatus> firing_status_from(std::string_view name) {
  return enum_from<FiringStatus>(kFiringStatusNames, name);
}
std::string_view to_string(FiringOrigin origin) { return kOriginNames.at(static_cast<std::size_t>(origin)); }
std::optional<FiringOrigin> firing_origin_from(std::string_view name) {
  return enum_from<FiringOrigin>(kOriginNames, name);
}

RecordRef schedule_ref(const std::string& ns, const std::string& name) {
  return {.kind = RecordKind::schedule, .ns = ns, .key = name};
}
RecordRef schedule_id_ref(const std::string& ns, const std::string& id) {
  return {.kind = RecordKind::schedule_id, .ns = ns, .key = id};
}
// The keys of a schedule's firings are ordered, the latest slot first.
RecordRef firing_ref(const std::string& ns, const std::string& schedule_id, TimePoint slot) {
  return {.kind = RecordKind::firing,
          .ns = ns,
          .key = fmt::format("{}{:020}", firings_prefix(schedule_id), micros(kTimeMax) - micros(slot))};
}
std::string firings_prefix(const std::string& schedule_id) { return schedule_id + "/"; }
std::string firing_key(const Firing& firing) {
  return fmt::format("schedule:{}:{}", firing.schedule_id, format_time(firing.slot));
}

std::optional<PreviousFiring> previous_after(const Firing& firing) {
  if (firing.origin != FiringOrigin::slot) return std::nullopt;
  if (firing.status == FiringStatus::skipped) return firing.previous;
  return PreviousFiring{.slot = firing.slot, .run_id = firing.run_id, .task_id = firing.task_id};
}

RawJson body_of(const Schedule& schedule) {
  Body body;
  body.put("id", schedule.id);
  body.put("name", schedule.name);
  body.put("cron", schedule.cron);
  body.put("every", schedule.every);
  body.put("timezone", schedule.timezone);
  body.put("workflow", schedule.workflow);
  if (schedule.task) body.put("task", encode_task(*schedule.task));
  body.put("input", schedule.input);
  body.put("queue", schedule.queue);
  body.put("enabled", schedule.enabled);
  body.put("dst_gap", std::string{to_string(schedule.dst.gap)});
  body.put("dst_fold", std::string{to_string(schedule.dst.fold)});
  body.put("max_catchup", schedule.max_catchup);
  body.put("overlap", std::string{to_string(schedule.overlap)});
  body.put("jitter", schedule.jitter);
  body.put("start_at", schedule.start_at);
  body.put("end_at", schedule.end_at);
  body.put("next_fire_at", schedule.next_fire_at);
  body.put("last_fire_at", schedule.last_claimed);  // its name before last_fired_at was stored
  body.put("last_fired_at", schedule.last_fired_at);
  body.put("created_at", schedule.created_at);
  body.put("updated_at", schedule.updated_at);
  return body.text();
}

Schedule schedule_from(const RawJson& text) {
  const Body body{text};
  Schedule schedule{.id = body.text_of("id"),
                    .name = body.text_of("name"),
                    .cron = body.text_of("cron"),
                    .every = body.optional_duration_of("every"),
                    .timezone = body.text_of("timezone"),
                    .workflow = body.text_of("workflow"),
                    .input = body.raw_of("input"),
                    .queue = body.optional_of<std::string>("queue"),
                    .enabled = body.get<bool>("enabled"),
                    .dst = {.gap = dst_gap_from(body.text_of("dst_gap")).value_or(DstGap::shift),
                            .fold = dst_fold_from(body.text_of("dst_fold")).value_or(DstFold::first)},
                    .max_catchup = body.get<int>("max_catchup"),
                    .overlap = overlap_from(body.text_of("overlap")).value_or(Overlap::allow),
                    .jitter = Duration{body.get<std::int64_t>("jitter")},
                    .start_at = body.optional_time_of("start_at"),
                    .end_at = body.optional_time_of("end_at"),
                    .next_fire_at = body.optional_time_of("next_fire_at"),
                    .last_claimed = body.optional_time_of("last_fire_at"),
                    .last_fired_at = body.optional_time_of("last_fired_at"),
                    .created_at = body.time_of("created_at"),
                    .updated_at = body.time_of("updated_at")};
  if (const RawJson task = body.raw_of("task"); !task.empty()) schedule.task = task_from(task);
  return schedule;
}

std::string schedule_name_from(const RawJson& body) { return Body{body}.text_of("name"); }
RawJson body_of_name(const std::string& name) {
  Body body;
  body.put("name", name);
  return body.text();
}

RawJson body_of(const Firing& firing) {
  Body body;
  body.put("schedule_id", firing.schedule_id);
  body.put("schedule", firing.schedule);
  body.put("slot", firing.slot);
  body.put("until", firing.until);
  body.put("origin", std::string{to_string(firing.origin)});
  body.put("status", std::string{to_string(firing.status)});
  body.put("reason", firing.reason);
  body.put("run_id", firing.run_id);
  body.put("task_id", firing.task_id);
  body.put("due_at", firing.due_at);
  body.put("updated_at", firing.updated_at);
  if (firing.previous) body.put("previous", encode_previous(*firing.previous));
  return body.text();
}

Firing firing_from(const RawJson& text) {
  const Body body{text};
  Firing firing{.schedule_id = body.text_of("schedule_id"),
                .schedule = body.text_of("schedule"),
                .slot = body.time_of("slot"),
                .until = body.optional_time_of("until"),
                .origin = firing_origin_from(body.text_of("origin")).value_or(FiringOrigin::slot),
                .status = firing_status_from(body.text_of("status")).value_or(FiringStatus::waiting),
                .reason = body.text_of("reason"),
                .run_id = body.text_of("run_id"),
                .task_id = body.text_of("task_id"),
                .due_at = body.time_of("due_at"),
                .updated_at = body.time_of("updated_at")};
  if (const RawJson previous = body.raw_of("previous"); !previous.empty())
    firing.previous = previous_from(previous);
  return firing;
}

}  // namespace pawl::core
