#pragma once
// Where memory that ran out ends a unit of work and not the process.

#include <new>
#include <utility>

namespace pawl::core {

// Short enough to need no memory itself.
inline constexpr const char* kOutOfMemory = "out of memory";

// Runs `work`; false where memory ran out in it.
template <typename Work>
[[nodiscard]] bool has_memory_for(Work&& work) {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace pawl::core
