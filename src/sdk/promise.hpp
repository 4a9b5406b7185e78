#pragma once
// The token of a promise: which run waits, and for which signal. Pure.

#include <string>
#include <string_view>

namespace pawl::detail {

struct PromiseToken {
  std::string run_id;
  std::string signal;
};

[[nodiscard]] std::string promise_signal(std::string_view step_id);
[[nodiscard]] std::string promise_token(const std::string& run_id, std::string_view step_id);
// Throws Error{"invalid_argument"}.
[[nodiscard]] PromiseToken promise_token_from(std::string_view token);

}  // namespace pawl::detail
