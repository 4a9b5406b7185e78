#pragma once
// Exports core's JSON writer into this namespace.

#include "core/json/json_writer.hpp"

namespace pawl::wire {

using core::Writer;

}  // namespace pawl::wire
