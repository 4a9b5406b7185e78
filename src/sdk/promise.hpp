#pragma once
// The token of a promise: it names the waiting run and the signal that the run waits for. The signal's name
// is a secret that is generated once and stored with the run, so only a holder of the token knows it.
// Thread-safe.

#include <string>
#include <string_view>

namespace pawl::detail {

struct PromiseToken {
  std::string run_id;
  std::string signal;
};

// 131 random bits from the operating system, as letters and digits.
[[nodiscard]] std::string draw_promise_secret();
[[nodiscard]] std::string promise_signal(std::string_view secret);
[[nodiscard]] std::string promise_token(const std::string& run_id, std::string_view secret);
// Throws Error{"invalid_argument"} if the text is not a token.
[[nodiscard]] PromiseToken promise_token_from(std::string_view token);

}  // namespace pawl::detail
