#include "server/bootstrap.hpp"

#include "core/base/sha256.hpp"
#include "core/records/token.hpp"
#include "server/secrets.hpp"

namespace pawl::server {

core::Result<std::string> create_bootstrap_token(core::Api& api) {
  using core::base62;
  const core::TokenText text{
      .role = core::Role::admin,
      .id = base62(random_bytes(2 * core::kTokenIdLength), core::kTokenIdLength),
      .secret = base62(random_bytes(2 * core::kTokenSecretLengthMin), core::kTokenSecretLengthMin)};
  const auto token = api.create_token({.id = text.id,
                                       .secret_hash = core::sha256_hex(text.secret),
                                       .role = text.role,
                                       .namespaces = {"*"},
                                       .name = "bootstrap",
                                       .by = {.id = "serve", .role = "admin"}});
  if (!token) return token.problem();
  return core::format_token(text);
}

}  // namespace pawl::server
