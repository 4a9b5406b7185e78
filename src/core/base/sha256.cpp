#include "core/base/sha256.hpp"

#include <memory>

#include <openssl/evp.h>

#include "core/base/ensure.hpp"
#include "core/base/hex.hpp"

namespace pawl::core {

namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using HashContext = std::unique_ptr<EVP_MD_CTX, FreeContext>;

// Fetched once: a fetch by name searches under a lock at each hash. Never freed, as it is needed until the
// last thread has ended.
const EVP_MD* algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

}  // namespace

Sha256Digest sha256(std::string_view bytes) {
  thread_local const HashContext context{EVP_MD_CTX_new()};
  Sha256Digest digest{};
  const bool is_done = EVP_DigestInit_ex2(context.get(), algorithm(), nullptr) == 1 &&
                       EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                       EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  PAWL_ENSURE(is_done, "OpenSSL has SHA-256");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  std::string text(2 * std::tuple_size_v<Sha256Digest>, '0');
  put_hex(sha256(bytes), text.data());
  return text;
}

}  // namespace pawl::core
