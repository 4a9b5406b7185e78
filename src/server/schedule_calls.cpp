#include "server/schedule_calls.hpp"

#include <array>

#include "server/respond.hpp"
#include "wire/schedule.hpp"

namespace pawl::server {

namespace {

using wire::Call;

constexpr int kNextTimesDefault = 10;

core::ScheduleRef ref_of(const Request& request) {
  return {.ns = request.ns, .name_or_id = request.parameters.at(1)};
}

Response create_schedule(Services& services, const Request& request) {
  auto schedule = read_body(request, wire::read_new_schedule);
  if (!schedule) return refuse(request, schedule.problem());
  const auto made = services.local.create_schedule(
      {.ns = request.ns, .schedule = std::move(*schedule), .by = request.actor});
  return respond(request, made, wire::write_schedule, 201);
}

Response list_schedules(Services& services, const Request& request) {
  const auto asked = list_of(request);
  if (!asked) return refuse(request, asked.problem());
  return respond_page(request, services.local.list_schedules(*asked), wire::write_schedule);
}

Response get_schedule(Services& services, const Request& request) {
  return respond(request, services.local.get_schedule(ref_of(request)), wire::write_schedule);
}

Response update_schedule(Services& services, const Request& request) {
  auto patch = read_body(request, wire::read_schedule_patch);
  if (!patch) return refuse(request, patch.problem());
  const auto done = services.local.update_schedule(
      {.ref = ref_of(request), .patch = std::move(*patch), .by = request.actor});
  return respond(request, done, wire::write_schedule);
}

Response set_enabled(Services& services, const Request& request, bool enabled) {
  const auto nothing = read_body(request, [](wire::ObjectReader&) { return 0; });
  if (!nothing) return refuse(request, nothing.problem());
  const auto done = services.local.update_schedule({.ref = ref_of(request),
                                                    .patch = {.enabled = enabled},
                                                    .action = enabled ? "schedule.resume" : "schedule.pause",
                                                    .by = request.actor});
  return respond(request, done, wire::write_schedule);
}

Response pause_schedule(Services& services, const Request& request) {
  return set_enabled(services, request, false);
}

Response resume_schedule(Services& services, const Request& request) {
  return set_enabled(services, request, true);
}

Response delete_schedule(Services& services, const Request& request) {
  const auto done = services.local.delete_schedule({.ref = ref_of(request), .by = request.actor});
  return respond(request, done, [](wire::Writer& out, core::Done) { out.begin_object().end_object(); });
}

Response trigger_schedule(Services& services, const Request& request) {
  const auto nothing = read_body(request, [](wire::ObjectReader&) { return 0; });
  if (!nothing) return refuse(request, nothing.problem());
  const auto firing = services.local.trigger_schedule({.ref = ref_of(request), .by = request.actor});
  return respond(request, firing, wire::write_firing, 201);
}

Response backfill_schedule(Services& services, const Request& request) {
  auto asked = read_body(request, [&](wire::ObjectReader& in) {
    core::BackfillSchedule fill{.ref = ref_of(request), .by = request.actor};
    for (auto [name, time] : {std::pair{"from", &fill.from}, std::pair{"to", &fill.to}}) {
      const auto given = in.optional_time(name);
      if (!given) in.mistake(name, "is needed");
      *time = given.value_or(core::TimePoint{});
    }
    fill.dry_run = in.optional_boolean("dry_run").value_or(false);
    return fill;
  });
  if (!asked) return refuse(request, asked.problem());
  const bool is_dry = asked->dry_run;
  const auto firings = services.local.backfill_schedule(*asked);
  const auto write = [is_dry](wire::Writer& out, const std::vector<core::Firing>& all) {
    out.begin_object().field("dry_run", is_dry).field("count", static_cast<std::int64_t>(all.size()));
    out.key("times").begin_array();
    for (const core::Firing& firing : all) out.value(firing.slot);
    out.end_array().end_object();
  };
  return respond(request, firings, write);
}

Response list_firings(Services& services, const Request& request) {
  const auto asked = list_of(request);
  if (!asked) return refuse(request, asked.problem());
  return respond_page(
      request,
      services.local.list_firings({.ref = ref_of(request), .limit = asked->limit, .cursor = asked->cursor}),
      wire::write_firing);
}

Response next_times(Services& services, const Request& request) {
  const auto count = read_query(
      request, [](wire::ObjectReader& in) { return read_number(in, "count").value_or(kNextTimesDefault); });
  if (!count) return refuse(request, count.problem());
  const auto write = [](wire::Writer& out, const std::vector<core::TimePoint>& times) {
    out.begin_object().key("times").begin_array();
    for (const core::TimePoint time : times) out.value(time);
    out.end_array().end_object();
  };
  return respond(request, services.local.next_times(ref_of(request), *count), write);
}

}  // namespace

std::span<const Handler> schedule_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::create_schedule, .run = replying<create_schedule>},
      Handler{.call = Call::list_schedules, .run = replying<list_schedules>},
      Handler{.call = Call::get_schedule, .run = replying<get_schedule>},
      Handler{.call = Call::update_schedule, .run = replying<update_schedule>},
      Handler{.call = Call::delete_schedule, .run = replying<delete_schedule>},
      Handler{.call = Call::pause_schedule, .run = replying<pause_schedule>},
      Handler{.call = Call::resume_schedule, .run = replying<resume_schedule>},
      Handler{.call = Call::trigger_schedule, .run = replying<trigger_schedule>},
      Handler{.call = Call::backfill_schedule, .run = replying<backfill_schedule>},
      Handler{.call = Call::list_firings, .run = replying<list_firings>},
      Handler{.call = Call::next_times, .run = replying<next_times>},
  };
  return kHandlers;
}

}  // namespace pawl::server
