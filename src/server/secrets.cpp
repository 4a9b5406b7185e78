#include "server/secrets.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "core/ensure.hpp"

namespace pawl::server {

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int ok = EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  PAWL_ENSURE(ok == 1, "SHA-256 is always there");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest.at(i));
  return hex;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int ok = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  PAWL_ENSURE(ok == 1, "a secret is never made of weak chance");
  return bytes;
}

}  // namespace pawl::server
