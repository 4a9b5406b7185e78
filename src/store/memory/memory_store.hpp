#pragma once
// The model: all of store.hpp in plain containers. It is the oracle of the differential tests, the store of
// the simulation, and the store for users' own tests. A transaction locks the whole store for its thread, so
// that reads by this thread in the meantime are consistent with it.

#include <memory>

#include "core/base/env.hpp"
#include "store/store.hpp"

namespace pawl::store {

// `clock` is the store's clock.
[[nodiscard]] std::unique_ptr<Store> make_memory_store(core::Clock& clock);

}  // namespace pawl::store
