#pragma once
// Converts the answers of records for the calls of LocalApi.

#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/result.hpp"
#include "core/json/json.hpp"

namespace pawl::runtime {

[[nodiscard]] inline core::Problem no_such_record(std::string_view what, const std::string& key) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no " + std::string{what} + " " + key};
}

// The answer of a decision, read by `from`; or why it was refused.
template <typename From>
[[nodiscard]] auto read_answer(const core::Result<core::RawJson>& answer, From from)
    -> core::Result<std::remove_cvref_t<decltype(from(*answer))>> {
  if (!answer) return answer.problem();
  return from(*answer);
}

[[nodiscard]] inline core::Status to_status(const core::Result<core::RawJson>& answer) {
  return answer ? core::Status{core::Done{}} : core::Status{answer.problem()};
}

}  // namespace pawl::runtime
