#pragma once
// The client's side of TLS (net/tls_policy.hpp): which servers it trusts, and its own certificate.

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "core/base/result.hpp"

namespace pawl::client {

// PEM files for https. A server is trusted if the system's authorities, or `ca_cert` if set, vouch for it.
struct TlsFiles {
  std::string ca_cert = {};
  std::string cert = {};  // the client certificate, for a server that requests one
  std::string key = {};
};

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

// `invalid_argument` names the file that is invalid.
[[nodiscard]] core::Result<TlsContext> make_tls_context(const TlsFiles& files);

// Requires a certificate for `host`: a name or an IP address. False: the name cannot be used with TLS.
[[nodiscard]] bool expect_host(SSL* tls, const std::string& host);

}  // namespace pawl::client
