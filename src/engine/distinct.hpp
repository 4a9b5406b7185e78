#pragma once
// Lists of what is to be locked: each once, and in the order in which everybody locks.

#include <algorithm>
#include <vector>

namespace pawl::engine {

template <typename T>
void sort_distinct(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace pawl::engine
