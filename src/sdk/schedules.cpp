// The schedule calls of pawl::Client.

#include "core/base/limits.hpp"
#include "pawl/client.hpp"
#include "sdk/connection.hpp"
#include "sdk/convert.hpp"

namespace pawl {

namespace {

using detail::value_of;

core::Overlap overlap_of(Overlap overlap) {
  switch (overlap) {
    case Overlap::allow: return core::Overlap::allow;
    case Overlap::skip: return core::Overlap::skip;
    case Overlap::queue: return core::Overlap::queue;
    case Overlap::cancel_previous: break;
  }
  return core::Overlap::cancel_previous;
}

core::Dst dst_of(Dst dst) {
  const auto gap = dst.gap == DstGap::shift ? core::DstGap::shift : core::DstGap::skip;
  switch (dst.fold) {
    case DstFold::first: return {.gap = gap, .fold = core::DstFold::first};
    case DstFold::last: return {.gap = gap, .fold = core::DstFold::last};
    case DstFold::both: break;
  }
  return {.gap = gap, .fold = core::DstFold::both};
}

Dst dst_of(core::Dst dst) {
  const auto gap = dst.gap == core::DstGap::shift ? DstGap::shift : DstGap::skip;
  switch (dst.fold) {
    case core::DstFold::first: return {.gap = gap, .fold = DstFold::first};
    case core::DstFold::last: return {.gap = gap, .fold = DstFold::last};
    case core::DstFold::both: break;
  }
  return {.gap = gap, .fold = DstFold::both};
}

ScheduleInfo info_of(const core::Schedule& schedule) {
  ScheduleInfo info{.id = schedule.id,
                    .name = schedule.name,
                    .every = schedule.every,
                    .timezone = schedule.timezone,
                    .dst = dst_of(schedule.dst),
                    .is_paused = !schedule.enabled,
                    .next_fire_at = schedule.enabled ? schedule.next_fire_at : std::nullopt,
                    .last_fired_at = schedule.last_fired_at};
  if (!schedule.cron.empty()) info.cron = schedule.cron;
  if (!schedule.workflow.empty()) info.workflow = schedule.workflow;
  if (schedule.task) info.task_type = schedule.task->type;
  return info;
}

core::ScheduleRef ref_of(detail::Connection& connection, std::string_view name) {
  return {.ns = connection.ns(), .name_or_id = std::string{name}};
}

}  // namespace

ScheduleInfo Client::add_schedule(const ScheduleInfo& what, std::string input,
                                  const ScheduleOptions& options) const {
  core::Schedule schedule{.name = what.name,
                          .cron = options.cron.value_or(""),
                          .every = options.every,
                          .timezone = options.timezone,
                          .workflow = what.workflow.value_or(""),
                          .queue = options.queue,
                          .dst = dst_of(options.dst),
                          .max_catchup = options.max_catchup,
                          .overlap = overlap_of(options.overlap),
                          .jitter = options.jitter,
                          .start_at = options.start_at,
                          .end_at = options.end_at};
  if (what.task_type) {
    schedule.task = detail::spec_of(*what.task_type, std::move(input), {.queue = options.queue});
    schedule.queue.reset();
  } else {
    schedule.input = {std::move(input)};
  }
  return info_of(value_of(connection_->calls().schedules().create_schedule(
      {.ns = connection_->ns(), .schedule = std::move(schedule)})));
}

ScheduleInfo Client::schedule(std::string_view name) const {
  return info_of(value_of(connection_->calls().schedules().get_schedule(ref_of(*connection_, name))));
}

std::vector<ScheduleInfo> Client::schedules() const {
  const detail::Calls calls = connection_->calls();
  std::vector<ScheduleInfo> found;
  core::ListRecords list{.ns = connection_->ns(), .limit = core::kPageMax};
  for (;;) {
    const auto page = value_of(calls.schedules().list_schedules(list));
    for (const core::Schedule& schedule : page.items) found.push_back(info_of(schedule));
    if (!page.next_cursor) return found;
    list.cursor = *page.next_cursor;
  }
}

void Client::enable_schedule(std::string_view name, bool enabled) const {
  static_cast<void>(value_of(connection_->calls().schedules().update_schedule(
      {.ref = ref_of(*connection_, name),
       .patch = {.enabled = enabled},
       .action = enabled ? "schedule.resume" : "schedule.pause"})));
}

void Client::trigger_schedule(std::string_view name) const {
  static_cast<void>(
      value_of(connection_->calls().schedules().trigger_schedule({.ref = ref_of(*connection_, name)})));
}

void Client::delete_schedule(std::string_view name) const {
  static_cast<void>(
      value_of(connection_->calls().schedules().delete_schedule({.ref = ref_of(*connection_, name)})));
}

}  // namespace pawl
