#pragma once
// The calls on schedules over a server.

#include <string>
#include <vector>

#include "client/http_connection.hpp"
#include "core/api/schedule_api.hpp"

namespace pawl::client {

class HttpScheduleApi : public core::ScheduleApi {
 public:
  explicit HttpScheduleApi(HttpConnection& connection) : connection_(connection) {}

  core::Result<core::Schedule> create_schedule(const core::CreateSchedule& request) override;
  core::Result<core::Schedule> get_schedule(const core::ScheduleRef& ref) override;
  core::Result<core::Page<core::Schedule>> list_schedules(const core::ListRecords& list) override;
  core::Result<core::Schedule> update_schedule(const core::UpdateSchedule& request) override;
  core::Result<core::Done> delete_schedule(const core::DeleteSchedule& request) override;
  core::Result<core::Firing> trigger_schedule(const core::TriggerSchedule& request) override;
  core::Result<std::vector<core::Firing>> backfill_schedule(const core::BackfillSchedule& request) override;
  core::Result<core::Page<core::Firing>> list_firings(const core::ListFirings& list) override;
  core::Result<std::vector<core::TimePoint>> next_times(const core::ScheduleRef& ref, int count) override;

 private:
  HttpConnection& connection_;
};

}  // namespace pawl::client
