#pragma once
// The inputs of runs that tasks have as their payload (core::TaskFacts::takes_run_input), each read once. One
// thread.

#include <functional>
#include <map>
#include <optional>

#include "core/task.hpp"

namespace pawl::engine {

class RunInputs {
 public:
  // Nothing if the run cannot be read.
  using Find = std::function<std::optional<core::RawJson>(const core::RunId&)>;
  explicit RunInputs(Find find) : find_(std::move(find)) {}

  // Fills in the payload; one that is not there is noted as unreadable.
  void fill_in(core::TaskFacts& facts);

 private:
  Find find_;
  std::map<core::RunId, std::optional<core::RawJson>> known_;
};

}  // namespace pawl::engine
