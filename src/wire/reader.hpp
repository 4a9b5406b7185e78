#pragma once
// Exports core's strict request reader into this namespace.

#include "core/json/json_reader.hpp"

namespace pawl::wire {

using core::Mistakes;
using core::ObjectReader;

}  // namespace pawl::wire
