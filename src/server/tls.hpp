#pragma once
// The server side of TLS (net/tls_policy.hpp): a certificate with its key and, if client certificates are
// required, the authority that signs them. `load` reads the files; existing connections keep the context that
// they started with. Thread-safe.

#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "core/base/result.hpp"

namespace pawl::server {

// Named after their settings. All empty: no TLS.
struct TlsFiles {
  std::string cert = {};  // chain file, the server's certificate first
  std::string key = {};
  std::string client_ca = {};  // if set, clients need a certificate of this authority

  [[nodiscard]] bool is_on() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

class Tls {
 public:
  using Context = boost::asio::ssl::context;

  // A problem names the setting; the previously loaded files stay in use.
  [[nodiscard]] core::Status load(const TlsFiles& files);
  // The context for the next connection; null without TLS. Shared, because a reload may replace it.
  [[nodiscard]] std::shared_ptr<Context> context() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Context> context_;
};

}  // namespace pawl::server
