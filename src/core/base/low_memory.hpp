#pragma once
// Lets an allocation failure end a unit of work instead of the process.

#include <new>
#include <utility>

namespace pawl::core {

// Short enough to be copied without an allocation.
inline constexpr const char* kOutOfMemory = "out of memory";

// Runs `work`; returns false if it ran out of memory.
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
