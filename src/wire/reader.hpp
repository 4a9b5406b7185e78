#pragma once
// The strict reader of requests, under the names that this folder has for it.

#include "core/json_reader.hpp"

namespace pawl::wire {

using core::Mistakes;
using core::ObjectReader;

}  // namespace pawl::wire
