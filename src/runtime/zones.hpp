#pragma once
// The time zones of this machine (its tz database), by their names: "Europe/Berlin".

#include <memory>
#include <string>
#include <vector>

#include "core/schedule/slots.hpp"

namespace pawl::runtime {

// Null for an unknown name. Thread-safe.
[[nodiscard]] std::shared_ptr<const core::Zone> find_zone(const std::string& name);
// The names of all zones.
[[nodiscard]] std::vector<std::string> zone_names();

}  // namespace pawl::runtime
