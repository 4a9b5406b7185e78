#include "server/secrets.hpp"

#include <openssl/rand.h>

#include "core/base/ensure.hpp"

namespace pawl::server {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int ok = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  PAWL_ENSURE(ok == 1, "a secret is never made of weak chance");
  return bytes;
}

}  // namespace pawl::server
