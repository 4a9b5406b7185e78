#pragma once
// How a call of user code ended. This is the only place of the SDK where exceptions become values.

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/task/task.hpp"

namespace pawl::detail {

// Thrown through a workflow function to release its thread. It is not a std::exception, so that handlers of
// std::exception let it pass.
struct Unwind {};

struct Outcome {
  enum class Kind : std::uint8_t { completed, failed, unwound };

  Kind kind = Kind::completed;
  std::string output = "null";  // JSON
  core::TaskError error = {};   // if it failed
  std::optional<core::Duration> retry_after = {};
  std::optional<std::string> continue_as_new = {};  // of a completed body: the input of the next run
  std::exception_ptr thrown = {};                   // the original exception, to be rethrown
};

[[nodiscard]] Outcome outcome_of(const std::function<std::string()>& call);
[[nodiscard]] Outcome failed_with(core::TaskError error);

// The error of a failed call, in a form that can be stored and reported.
[[nodiscard]] core::TaskError error_to_keep(const Outcome& outcome);

}  // namespace pawl::detail
