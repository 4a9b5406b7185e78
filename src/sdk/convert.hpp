#pragma once
// Conversions between the SDK's public types and the types of the core.

#include <string>
#include <string_view>

#include "core/base/ids.hpp"
#include "core/base/problem.hpp"
#include "core/base/result.hpp"
#include "core/run/run.hpp"
#include "core/run/run_event.hpp"
#include "core/run/step.hpp"
#include "core/task/retry.hpp"
#include "core/task/task_spec.hpp"
#include "pawl/client.hpp"
#include "store/store.hpp"

namespace pawl::detail {

[[nodiscard]] Error error_of(const core::Problem& problem);

// Returns the value, or throws its problem.
template <typename T>
T value_of(core::Result<T> result) {
  if (!result) throw error_of(result.problem());
  return std::move(*result);
}

// Converts a StoreError to an Error.
template <typename Call>
auto from_store(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const store::StoreError& error) {
    throw error_of(error.problem());
  }
}

// Converts a rejection of the user's statement to an Error.
template <typename Call>
auto from_database(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const store::SqlError& error) {
    throw Error{"sql", error.what()};
  }
}

// Throw Error{"invalid_argument"} if the text is not an id.
[[nodiscard]] core::RunId run_id_from(std::string_view text);
[[nodiscard]] core::TaskId task_id_from(std::string_view text);

// Unset fields take the values of `defaults`.
[[nodiscard]] core::RetryPolicy retry_of(const RetryPolicy& policy, core::RetryPolicy defaults);
[[nodiscard]] bool is_given(const RetryPolicy& policy);
[[nodiscard]] core::TaskSpec spec_of(std::string_view type, std::string payload,
                                     const EnqueueOptions& options);

[[nodiscard]] std::optional<ErrorInfo> info_of(const std::optional<core::TaskError>& error);
[[nodiscard]] RunInfo info_of(const core::Run& run);
[[nodiscard]] TaskInfo info_of(const core::Task& task);
[[nodiscard]] StepInfo info_of(const core::StepAttempt& attempt);
[[nodiscard]] Event event_of(const core::RunEvent& event);

}  // namespace pawl::detail
