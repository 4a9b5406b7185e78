#pragma once
// Every use case of schedules. As in core/api/api.hpp, behind this interface is an engine in this process or
// a server.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/api/page.hpp"
#include "core/schedule/schedule.hpp"

namespace pawl::core {

// The requested schedule; its id, times and slots are set by the engine.
struct CreateSchedule {
  std::string ns = "default";
  Schedule schedule = {};
  Actor by = {};
};
// By name or by id.
struct ScheduleRef {
  std::string ns = "default";
  std::string name_or_id = {};
};
// A given field replaces the existing one.
struct SchedulePatch {
  std::optional<std::string> cron = {};  // replaces `every`, and vice versa
  std::optional<Duration> every = {};
  std::optional<std::string> timezone = {};
  std::optional<std::string> workflow = {};  // replaces `task`, and vice versa
  std::optional<TaskSpec> task = {};
  std::optional<RawJson> input = {};
  std::optional<std::optional<std::string>> queue = {};
  std::optional<bool> enabled = {};
  std::optional<DstGap> dst_gap = {};
  std::optional<DstFold> dst_fold = {};
  std::optional<int> max_catchup = {};
  std::optional<Overlap> overlap = {};
  std::optional<Duration> jitter = {};
  std::optional<std::optional<TimePoint>> start_at = {};
  std::optional<std::optional<TimePoint>> end_at = {};
};
struct UpdateSchedule {
  ScheduleRef ref = {};
  SchedulePatch patch = {};
  std::string action = "schedule.update";  // its name in the audit log
  Actor by = {};
};
struct DeleteSchedule {
  ScheduleRef ref = {};
  Actor by = {};
};
// Fires the schedule once more, now.
struct TriggerSchedule {
  ScheduleRef ref = {};
  Actor by = {};
};
// Fires the slots from `from` to `to`, exclusive.
struct BackfillSchedule {
  ScheduleRef ref = {};
  TimePoint from = {};
  TimePoint to = {};
  bool dry_run = false;  // lists the slots and fires none
  Actor by = {};
};
struct ListFirings {
  ScheduleRef ref = {};
  int limit = kPageDefault;
  std::string cursor = {};
};

inline constexpr int kNextTimesMax = 1'000;
inline constexpr int kBackfillMax = 10'000;
inline constexpr int kCatchupMax = 10'000;
inline constexpr Duration kEveryMin = std::chrono::seconds{1};

class ScheduleApi {
 public:
  ScheduleApi() = default;
  ScheduleApi(const ScheduleApi&) = delete;
  ScheduleApi& operator=(const ScheduleApi&) = delete;
  virtual ~ScheduleApi() = default;

  virtual Result<Schedule> create_schedule(const CreateSchedule& request) = 0;
  virtual Result<Schedule> get_schedule(const ScheduleRef& ref) = 0;
  virtual Result<Page<Schedule>> list_schedules(const ListRecords& list) = 0;
  virtual Result<Schedule> update_schedule(const UpdateSchedule& request) = 0;
  virtual Result<Done> delete_schedule(const DeleteSchedule& request) = 0;
  virtual Result<Firing> trigger_schedule(const TriggerSchedule& request) = 0;
  virtual Result<std::vector<Firing>> backfill_schedule(const BackfillSchedule& request) = 0;
  virtual Result<Page<Firing>> list_firings(const ListFirings& list) = 0;  // the latest slot first
  virtual Result<std::vector<TimePoint>> next_times(const ScheduleRef& ref, int count) = 0;
};

}  // namespace pawl::core
