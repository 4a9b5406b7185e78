#pragma once
// The model: all of store.hpp in plain containers. It is the oracle of the differential tests, the store of
// the simulation, and what users' own tests run on. A transaction holds the whole store for its thread: what
// that thread reads meanwhile belongs together.

#include <memory>

#include "core/env.hpp"
#include "store/store.hpp"

namespace pawl::store {

// `clock` is the store's clock.
[[nodiscard]] std::unique_ptr<Store> make_memory_store(core::Clock& clock);

}  // namespace pawl::store
