#pragma once
// The server's side of TLS (net/tls_policy.hpp): a certificate with its key and, where clients must show one
// too, the authority that theirs come from. Files are read by `load`; a connection keeps what it began with.
// Any thread.

#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "core/result.hpp"

namespace pawl::server {

// Named after their settings. All empty: no TLS.
struct TlsFiles {
  std::string cert = {};  // the chain, the server's own first
  std::string key = {};
  std::string client_ca = {};  // clients need a certificate of this authority

  [[nodiscard]] bool is_on() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

class Tls {
 public:
  using Context = boost::asio::ssl::context;

  // Refused with the setting's name; what was loaded before then stays.
  [[nodiscard]] core::Status load(const TlsFiles& files);
  // For the next connection; null where there is no TLS. Shared with a reload that comes meanwhile.
  [[nodiscard]] std::shared_ptr<Context> context() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Context> context_;
};

}  // namespace pawl::server
