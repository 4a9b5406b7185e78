#pragma once
// Reads the run inputs that tasks use as their payload (core::TaskFacts::takes_run_input), each once. Not
// thread-safe.

#include <functional>
#include <map>
#include <optional>

#include "core/task/task.hpp"

namespace pawl::engine {

class RunInputs {
 public:
  // Returns none if the run cannot be read.
  using Find = std::function<std::optional<core::RawJson>(const core::RunId&)>;
  explicit RunInputs(Find find) : find_(std::move(find)) {}

  // Fills in the payload, or marks it as unreadable.
  void fill_in(core::TaskFacts& facts);

 private:
  Find find_;
  std::map<core::RunId, std::optional<core::RawJson>> known_;
};

}  // namespace pawl::engine
