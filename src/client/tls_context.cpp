#include "client/tls_context.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "core/base/ensure.hpp"
#include "net/tls_policy.hpp"

namespace pawl::client {

namespace {

std::string reason() {
  const char* text = ERR_reason_error_string(ERR_get_error());
  return text == nullptr ? "it cannot be read" : text;
}

core::Status show_certificate(SSL_CTX* context, const TlsFiles& files) {
  if (SSL_CTX_use_certificate_chain_file(context, files.cert.c_str()) != 1)
    return core::invalid_field("client-cert", fmt::format("{} has no certificate: {}", files.cert, reason()));
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return core::invalid_field("client-key",
                               fmt::format("{} has no key for {}: {}", files.key, files.cert, reason()));
  return core::Done{};
}

}  // namespace

core::Result<TlsContext> make_tls_context(const TlsFiles& files) {
  ERR_clear_error();
  TlsContext context{SSL_CTX_new(TLS_client_method())};
  PAWL_ENSURE(net::apply_tls_policy(context.get()), "every OpenSSL has AES-GCM");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (files.ca_cert.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());  // without them the handshake trusts no server
  } else if (SSL_CTX_load_verify_locations(context.get(), files.ca_cert.c_str(), nullptr) != 1) {
    return core::invalid_field("ca-cert", fmt::format("{} has no certificate: {}", files.ca_cert, reason()));
  }
  const bool shows_one = !files.cert.empty() || !files.key.empty();
  if (shows_one) {
    if (const core::Status shown = show_certificate(context.get(), files); !shown) return shown.problem();
  }
  return context;
}

bool expect_host(SSL* tls, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str()) == 1) return true;
  ERR_clear_error();  // it is a name
  return SSL_set_tlsext_host_name(tls, host.c_str()) == 1 && SSL_set1_host(tls, host.c_str()) == 1;
}

}  // namespace pawl::client
