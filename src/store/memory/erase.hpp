#pragma once
// Reads for retention from the memory store. The caller holds the store's lock.

#include "store/memory/state.hpp"

namespace pawl::store::memory {

[[nodiscard]] FinishedTasks list_finished(const State& state, const FinishedPage& page);
[[nodiscard]] std::vector<core::Record> list_all_records(const State& state, const core::RecordRef& after,
                                                         std::size_t limit);

}  // namespace pawl::store::memory
