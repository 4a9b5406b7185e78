#pragma once
// Sorts and deduplicates a list of rows to lock, so that all groups lock in the same order.

#include <algorithm>
#include <vector>

namespace pawl::engine {

template <typename T>
void sort_distinct(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace pawl::engine
