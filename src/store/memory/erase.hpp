#pragma once
// What retention reads. Called with the store's lock held.

#include "store/memory/state.hpp"

namespace pawl::store::memory {

[[nodiscard]] FinishedTasks list_finished(const State& state, const FinishedPage& page);
[[nodiscard]] std::vector<core::Record> list_all_records(const State& state, const core::RecordRef& after,
                                                         std::size_t limit);

}  // namespace pawl::store::memory
