#pragma once
// The writer of answers, under the name that this folder has for it.

#include "core/json_writer.hpp"

namespace pawl::wire {

using core::Writer;

}  // namespace pawl::wire
