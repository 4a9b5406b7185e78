#pragma once
// Converts exceptions of the store into results.

#include "store/store.hpp"

namespace pawl::runtime {

// Runs a read; a StoreError becomes its result.
template <typename Read>
auto guarded(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const store::StoreError& error) {
    return error.problem();
  }
}

}  // namespace pawl::runtime
