#pragma once
// The token of a promise: which run waits, and for which signal. The signal's name is a secret that is drawn
// once and stored with the run, so that only a holder of the token can name it. Any thread.

#include <string>
#include <string_view>

namespace pawl::detail {

struct PromiseToken {
  std::string run_id;
  std::string signal;
};

// 131 bits from the operating system, in letters and digits.
[[nodiscard]] std::string draw_promise_secret();
[[nodiscard]] std::string promise_signal(std::string_view secret);
[[nodiscard]] std::string promise_token(const std::string& run_id, std::string_view secret);
// Throws Error{"invalid_argument"}.
[[nodiscard]] PromiseToken promise_token_from(std::string_view token);

}  // namespace pawl::detail
