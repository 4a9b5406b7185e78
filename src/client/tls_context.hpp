#pragma once
// The client's side of TLS (net/tls_policy.hpp): whom it trusts, and what it shows a server that asks.

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "core/result.hpp"

namespace pawl::client {

// PEM files for https. A server is trusted if the system's authorities vouch for it, or `ca_cert` where
// given.
struct TlsFiles {
  std::string ca_cert = {};
  std::string cert = {};  // what to show a server that asks
  std::string key = {};
};

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

// `invalid_argument` names the file that is no good.
[[nodiscard]] core::Result<TlsContext> make_tls_context(const TlsFiles& files);

// A session with `host`, which its certificate must be for: a name or an IP address. False: it cannot be
// asked for by that name.
[[nodiscard]] bool expect_host(SSL* tls, const std::string& host);

}  // namespace pawl::client
