#pragma once
// Schedules and their firings as JSON.

#include "core/schedule_api.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

void write_schedule(Writer& out, const core::Schedule& schedule);
void write_firing(Writer& out, const core::Firing& firing);

// Of a request.
[[nodiscard]] core::Schedule read_new_schedule(ObjectReader& in);
[[nodiscard]] core::SchedulePatch read_schedule_patch(ObjectReader& in);

}  // namespace pawl::wire
