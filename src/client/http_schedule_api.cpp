#include "client/http_schedule_api.hpp"

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "client/pages.hpp"
#include "wire/schedule.hpp"

namespace pawl::client {

namespace {

using core::Result;
using wire::ObjectReader;
using wire::percent_encoded;
using wire::Writer;

std::string schedules_path(const std::string& ns) {
  return fmt::format("/v1/{}/schedules", percent_encoded(ns));
}

std::string path_of(const core::ScheduleRef& ref, std::string_view rest = "") {
  return fmt::format("{}/{}{}", schedules_path(ref.ns), percent_encoded(ref.name_or_id), rest);
}

// Pause and resume are calls of their own rather than a PATCH, and have their own names in the audit log.
std::string_view verb_of(const core::UpdateSchedule& request) {
  if (request.action == "schedule.pause") return "/pause";
  if (request.action == "schedule.resume") return "/resume";
  return "";
}

std::vector<core::TimePoint> times_in(ObjectReader& in) {
  std::vector<core::TimePoint> times;
  for (const std::string& text : in.optional_texts("times").value_or(std::vector<std::string>{})) {
    if (const auto time = core::parse_time(text)) times.push_back(*time);
  }
  return times;
}

}  // namespace

Result<core::Schedule> HttpScheduleApi::create_schedule(const core::CreateSchedule& request) {
  Writer out;
  wire::write_new_schedule(out, request.schedule);
  return decoded(connection_.call(request.ns,
                                  {.method = "POST", .path = schedules_path(request.ns), .body = out.take()}),
                 wire::read_schedule);
}

Result<core::Schedule> HttpScheduleApi::get_schedule(const core::ScheduleRef& ref) {
  return decoded(connection_.call(ref.ns, {.method = "GET", .path = path_of(ref)}), wire::read_schedule);
}

Result<core::Page<core::Schedule>> HttpScheduleApi::list_schedules(const core::ListRecords& list) {
  const std::string path = list_path(schedules_path(list.ns), list.limit, list.cursor);
  return decoded(connection_.call(list.ns, {.method = "GET", .path = path}),
                 page_reader(wire::read_schedule));
}

Result<core::Schedule> HttpScheduleApi::update_schedule(const core::UpdateSchedule& request) {
  const std::string_view verb = verb_of(request);
  if (!verb.empty()) {
    return decoded(connection_.call(request.ref.ns,
                                    {.method = "POST", .path = path_of(request.ref, verb), .body = "{}"}),
                   wire::read_schedule);
  }
  Writer out;
  wire::write_schedule_patch(out, request.patch);
  return decoded(
      connection_.call(request.ref.ns, {.method = "PATCH", .path = path_of(request.ref), .body = out.take()}),
      wire::read_schedule);
}

Result<core::Done> HttpScheduleApi::delete_schedule(const core::DeleteSchedule& request) {
  return decoded(connection_.call(request.ref.ns, {.method = "DELETE", .path = path_of(request.ref)}),
                 nothing);
}

Result<core::Firing> HttpScheduleApi::trigger_schedule(const core::TriggerSchedule& request) {
  return decoded(connection_.call(request.ref.ns,
                                  {.method = "POST", .path = path_of(request.ref, "/trigger"), .body = "{}"}),
                 wire::read_firing);
}

// The server returns only the slots.
Result<std::vector<core::Firing>> HttpScheduleApi::backfill_schedule(const core::BackfillSchedule& request) {
  Writer out;
  out.begin_object()
      .field("from", request.from)
      .field("to", request.to)
      .field("dry_run", request.dry_run)
      .end_object();
  return decoded(
      connection_.call(request.ref.ns,
                       {.method = "POST", .path = path_of(request.ref, "/backfill"), .body = out.take()}),
      [&](ObjectReader& in) {
        std::vector<core::Firing> firings;
        for (const core::TimePoint slot : times_in(in))
          firings.push_back(
              {.schedule = request.ref.name_or_id, .slot = slot, .origin = core::FiringOrigin::backfill});
        return firings;
      });
}

Result<core::Page<core::Firing>> HttpScheduleApi::list_firings(const core::ListFirings& list) {
  const std::string path = list_path(path_of(list.ref, "/firings"), list.limit, list.cursor);
  return decoded(connection_.call(list.ref.ns, {.method = "GET", .path = path}),
                 page_reader(wire::read_firing));
}

Result<std::vector<core::TimePoint>> HttpScheduleApi::next_times(const core::ScheduleRef& ref, int count) {
  const std::string path = path_of(ref, fmt::format("/next?count={}", count));
  return decoded(connection_.call(ref.ns, {.method = "GET", .path = path}), times_in);
}

}  // namespace pawl::client
