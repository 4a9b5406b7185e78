#include "server/tls.hpp"

#include <array>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <openssl/ssl.h>

#include "core/base/ensure.hpp"
#include "net/tls_policy.hpp"

namespace pawl::server {

namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

core::Status check_files(const TlsFiles& files) {
  struct Setting {
    std::string_view name;
    const std::string& file;
    bool is_needed;
  };
  for (const Setting& setting : {Setting{"tls.cert", files.cert, true}, Setting{"tls.key", files.key, true},
                                 Setting{"tls.client_ca", files.client_ca, false}}) {
    if (setting.file.empty() && setting.is_needed)
      return core::invalid_field(std::string{setting.name}, "is needed too: TLS has a certificate and a key");
    if (!setting.file.empty() && !std::ifstream{setting.file}.is_open())
      return core::invalid_field(std::string{setting.name},
                                 fmt::format("cannot read the file {}", setting.file));
  }
  return core::Done{};
}

// Disables tickets and sessions: a client that lost trust must not resume an old session.
void be_strict(Tls::Context& context) {
  SSL_CTX* native = context.native_handle();
  PAWL_ENSURE(net::apply_tls_policy(native), "every OpenSSL has AES-GCM");
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
}

core::Status use_certificate(Tls::Context& context, const TlsFiles& files) {
  error_code error;
  context.use_certificate_chain_file(files.cert, error);
  if (error)
    return core::invalid_field("tls.cert",
                               fmt::format("{} has no certificate: {}", files.cert, error.message()));
  context.use_private_key_file(files.key, ssl::context::pem, error);
  if (!error && SSL_CTX_check_private_key(context.native_handle()) == 1) return core::Done{};
  const bool is_other =
      ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH;
  return core::invalid_field(
      "tls.key", is_other ? fmt::format("{} is not the key of the certificate in {}", files.key, files.cert)
                          : fmt::format("{} has no key that can be used: {}", files.key, error.message()));
}

core::Status ask_for_client_certificates(Tls::Context& context, const std::string& file) {
  error_code error;
  context.load_verify_file(file, error);
  STACK_OF(X509_NAME)* names = error ? nullptr : SSL_load_client_CA_file(file.c_str());
  if (names == nullptr)
    return core::invalid_field("tls.client_ca", fmt::format("{} has no certificate", file));
  SSL_CTX_set_client_CA_list(context.native_handle(), names);
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  return core::Done{};
}

}  // namespace

core::Status Tls::load(const TlsFiles& files) {
  if (!files.is_on()) return core::Done{};
  if (const core::Status there = check_files(files); !there) return there;
  auto context = std::make_shared<Context>(Context::tls_server);
  be_strict(*context);
  if (const core::Status used = use_certificate(*context, files); !used) return used;
  if (!files.client_ca.empty()) {
    if (const core::Status asked = ask_for_client_certificates(*context, files.client_ca); !asked)
      return asked;
  }
  const std::lock_guard lock{mutex_};
  context_ = std::move(context);
  return core::Done{};
}

std::shared_ptr<Tls::Context> Tls::context() const {
  const std::lock_guard lock{mutex_};
  return context_;
}

}  // namespace pawl::server
