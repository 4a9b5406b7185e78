#pragma once
// Converts schedules and their firings to and from JSON.

#include "core/api/schedule_api.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

void write_schedule(Writer& out, const core::Schedule& schedule);
void write_firing(Writer& out, const core::Firing& firing);

// For requests.
[[nodiscard]] core::Schedule read_new_schedule(ObjectReader& in);
[[nodiscard]] core::SchedulePatch read_schedule_patch(ObjectReader& in);
void write_new_schedule(Writer& out, const core::Schedule& schedule);
void write_schedule_patch(Writer& out, const core::SchedulePatch& patch);

// For responses.
[[nodiscard]] core::Schedule read_schedule(ObjectReader& in);
[[nodiscard]] core::Firing read_firing(ObjectReader& in);

}  // namespace pawl::wire
