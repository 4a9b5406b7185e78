#pragma once
// The time zones of this machine (its tz database), by their names: "Europe/Berlin".

#include <memory>
#include <string>
#include <vector>

#include "core/slots.hpp"

namespace pawl::runtime {

// Null for a name that is none. From any thread.
[[nodiscard]] std::shared_ptr<const core::Zone> find_zone(const std::string& name);
// Of all of them.
[[nodiscard]] std::vector<std::string> zone_names();

}  // namespace pawl::runtime
