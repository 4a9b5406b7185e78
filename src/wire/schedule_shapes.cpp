// Shapes of schedules.

#include "wire/shapes.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kScheduledTaskFields{
    has("type", "string"),
    maybe("payload", "json"),
    maybe("queue", "string"),
    maybe("priority", "integer"),
    maybe("key", "string"),
    maybe("fairness_key", "string"),
    maybe("fairness_weight", "number"),
    maybe("timeout", "duration"),
    maybe("retry", "GivenRetryPolicy"),
    maybe("max_retries", "integer"),
    maybe("labels", "{string}"),
};
constexpr std::array kDstFields{
    has("gap", "DstGap"),
    has("fold", "DstFold"),
};
constexpr std::array kGivenDstFields{
    maybe("gap", "DstGap"),
    maybe("fold", "DstFold"),
};
constexpr std::array kScheduleFields{
    has("id", "string"),
    has("name", "string"),
    has("cron", "string?"),
    has("every", "duration?"),
    has("timezone", "string"),
    has("workflow", "string?"),
    has("task", "ScheduledTask?"),
    has("input", "json"),
    has("queue", "string?"),
    has("enabled", "boolean"),
    has("dst", "Dst"),
    has("max_catchup", "integer"),
    has("overlap", "ScheduleOverlap"),
    has("jitter", "duration"),
    has("start_at", "time?"),
    has("end_at", "time?"),
    has("next_fire_at", "time?"),
    has("last_fired_at", "time?"),
    has("created_at", "time"),
    has("updated_at", "time"),
};
constexpr std::array kFiringFields{
    has("schedule", "string"),
    has("fire_at", "time", "the slot"),
    has("until", "time?", "the last one of the slots that it stands for"),
    has("origin", "FiringOrigin"),
    has("status", "FiringStatus"),
    has("reason", "string?", "why it was skipped"),
    has("run_id", "uuid?"),
    has("task_id", "uuid?"),
    has("updated_at", "time"),
};
constexpr std::array kBackfilledFields{
    has("dry_run", "boolean"),
    has("count", "integer"),
    has("times", "[time]"),
};
constexpr std::array kNextTimesFields{
    has("times", "[time]"),
};

constexpr std::array kScheduleShapes{
    Shape{"ScheduledTask", kScheduledTaskFields, {}, true},
    Shape{"Dst", kDstFields},
    Shape{"GivenDst", kGivenDstFields, {}, true},
    Shape{"Schedule", kScheduleFields},
    Shape{"Firing", kFiringFields},
    Shape{"Backfilled", kBackfilledFields},
    Shape{"NextTimes", kNextTimesFields},
};

}  // namespace

std::span<const Shape> schedule_shapes() { return kScheduleShapes; }

}  // namespace pawl::wire
