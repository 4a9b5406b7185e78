#pragma once
// How a call of a user's code ended. The one place of the SDK where exceptions become values.

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/task.hpp"

namespace pawl::detail {

// Thrown through a workflow to leave its thread. No std::exception, so that a handler of those lets it pass.
struct Unwind {};

struct Outcome {
  enum class Kind : std::uint8_t { completed, failed, unwound };

  Kind kind = Kind::completed;
  std::string output = "null";  // JSON
  core::TaskError error = {};   // where it failed
  std::optional<core::Duration> retry_after = {};
  std::optional<std::string> continue_as_new = {};  // of a completed body: the input of the next run
  std::exception_ptr thrown = {};                   // what it failed with, to be thrown on
};

[[nodiscard]] Outcome outcome_of(const std::function<std::string()>& call);
[[nodiscard]] Outcome failed_with(core::TaskError error);

// The report that tells it.
[[nodiscard]] core::TaskError error_to_keep(const Outcome& outcome);

}  // namespace pawl::detail
