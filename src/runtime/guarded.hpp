#pragma once
// Where an exception of the store becomes the answer.

#include "store/store.hpp"

namespace pawl::runtime {

// Runs a read; what the store throws becomes the answer.
template <typename Read>
auto guarded(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const store::StoreError& error) {
    return error.problem();
  }
}

}  // namespace pawl::runtime
