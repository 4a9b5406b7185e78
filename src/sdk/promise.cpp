#include "sdk/promise.hpp"

#include "pawl/error.hpp"

namespace pawl::detail {

namespace {

constexpr std::size_t kIdLength = 36;

}  // namespace

std::string promise_signal(std::string_view step_id) { return "promise:" + std::string{step_id}; }

std::string promise_token(const std::string& run_id, std::string_view step_id) {
  return run_id + ":" + std::string{step_id};
}

PromiseToken promise_token_from(std::string_view token) {
  if (token.size() <= kIdLength + 1 || token[kIdLength] != ':')
    throw Error{"invalid_argument", "token: is none that a promise gave: '" + std::string{token} + "'"};
  return {.run_id = std::string{token.substr(0, kIdLength)},
          .signal = promise_signal(token.substr(kIdLength + 1))};
}

}  // namespace pawl::detail
