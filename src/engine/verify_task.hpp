#pragma once
// Checks one task alone. Pure.

#include <string>
#include <vector>

#include "store/store.hpp"

namespace pawl::engine {

struct TaskFinding {
  std::string check;
  std::string message;

  bool operator==(const TaskFinding&) const = default;
};

[[nodiscard]] std::vector<TaskFinding> findings_of(const store::StoredTask& task);

}  // namespace pawl::engine
