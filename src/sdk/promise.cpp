#include "sdk/promise.hpp"

#include <openssl/rand.h>

#include "core/base/ensure.hpp"
#include "core/records/token.hpp"
#include "pawl/error.hpp"

namespace pawl::detail {

namespace {

constexpr std::size_t kIdLength = 36;
constexpr std::size_t kSecretLength = 22;

}  // namespace

std::string draw_promise_secret() {
  std::string bytes(2 * kSecretLength, '\0');
  const int drawn =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  PAWL_ENSURE(drawn == 1, "a secret is never made of weak chance");
  return core::base62(bytes, kSecretLength);
}

std::string promise_signal(std::string_view secret) { return "promise:" + std::string{secret}; }

std::string promise_token(const std::string& run_id, std::string_view secret) {
  return run_id + ":" + std::string{secret};
}

PromiseToken promise_token_from(std::string_view token) {
  if (token.size() <= kIdLength + 1 || token[kIdLength] != ':')
    throw Error{"invalid_argument", "token: is none that a promise gave: '" + std::string{token} + "'"};
  return {.run_id = std::string{token.substr(0, kIdLength)},
          .signal = promise_signal(token.substr(kIdLength + 1))};
}

}  // namespace pawl::detail
