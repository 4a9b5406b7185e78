#include "store/runs.hpp"

#include <algorithm>

namespace pawl::store {

namespace {

bool is_large(core::RunState state) {
  return state == core::RunState::running || state == core::RunState::sleeping ||
         state == core::RunState::completed;
}

}  // namespace

bool is_found_by_label(const core::RunQuery& query) {
  if (!query.label || query.ns.empty() || query.retrying) return false;
  return query.states.empty() || std::any_of(query.states.begin(), query.states.end(), is_large);
}

}  // namespace pawl::store
