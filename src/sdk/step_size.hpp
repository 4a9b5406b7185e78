#pragma once
// Estimates the size of a step in a request: its JSON texts, and a constant for the other fields.

#include <cstddef>

#include "core/run/step.hpp"

namespace pawl::detail {

inline std::size_t size_of(const core::StepWrite& step) {
  constexpr std::size_t kOfTheRest = 256;
  std::size_t bytes = kOfTheRest + step.step_id.size() + step.input.text.size() + step.output.text.size();
  if (step.child) bytes += step.child->input.text.size();
  if (step.task) bytes += step.task->payload.text.size();
  return bytes;
}

}  // namespace pawl::detail
