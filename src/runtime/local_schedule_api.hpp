#pragma once
// The calls on schedules over an engine in this process. A change is computed from the schedule as it was
// read (core/schedule/schedule_plan.hpp) and stored if the schedule has not changed since; otherwise it is
// computed again.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/api/schedule_api.hpp"
#include "core/schedule/schedule_plan.hpp"
#include "runtime/local_context.hpp"

namespace pawl::runtime {

class LocalScheduleApi : public core::ScheduleApi {
 public:
  explicit LocalScheduleApi(LocalContext& context) : ids_(context.caches->ids), records_(context.records) {}

  core::Result<core::Schedule> create_schedule(const core::CreateSchedule& request) override;
  core::Result<core::Schedule> get_schedule(const core::ScheduleRef& ref) override;
  core::Result<core::Page<core::Schedule>> list_schedules(const core::ListRecords& list) override;
  core::Result<core::Schedule> update_schedule(const core::UpdateSchedule& request) override;
  core::Result<core::Done> delete_schedule(const core::DeleteSchedule& request) override;
  core::Result<core::Firing> trigger_schedule(const core::TriggerSchedule& request) override;
  core::Result<std::vector<core::Firing>> backfill_schedule(const core::BackfillSchedule& request) override;
  core::Result<core::Page<core::Firing>> list_firings(const core::ListFirings& list) override;
  core::Result<std::vector<core::TimePoint>> next_times(const core::ScheduleRef& ref, int count) override;

  // For the scheduler: stores the change if the schedule has not changed since it was read.
  core::Result<core::RawJson> keep_schedule(core::ScheduleChange change);
  // Stores the firing if the stored one still waits (core::decide_firing).
  core::Result<core::RawJson> keep_firing(const std::string& ns, const core::Firing& firing);
  // Erases a firing past its retention (core::decide_forget).
  core::Result<core::RawJson> forget_firing(const std::string& ns, const core::Firing& firing);

 private:
  struct ScheduleNow {
    core::Schedule schedule = {};
    std::int64_t version = 0;
    core::TimePoint now = {};
  };
  core::Result<ScheduleNow> read_schedule(const core::ScheduleRef& ref);
  // Reads the schedule, computes the change with `plan` and stores it; retries if another change was faster.
  core::Result<core::RawJson> change_schedule(
      const core::ScheduleRef& ref, const core::AuditEntry& audit,
      const std::function<core::Result<core::ScheduleChange>(const ScheduleNow&)>& plan);

  engine::IdSource& ids_;
  RecordAccess& records_;
};

}  // namespace pawl::runtime
