#pragma once
// A blocking HTTP/1.1 client on one kept connection, plain or TLS. Calls are made from one thread; `cancel`
// may be called from any other thread and ends the current call and all later ones.
//
// If a kept connection turns out to be dead, the caller reconnects once. It sends the request again if that
// is harmless: it is not a POST, it is marked repeatable, or it has an Idempotency-Key (added here to every
// POST that is not marked repeatable).
//
// Invariants: a value of a request cannot contain a line end, so no value becomes a header or a request of
// its own. An answer takes at most `body_max` bytes and 64 KiB of headers.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/http_address.hpp"
#include "client/tls_context.hpp"
#include "core/base/env.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"

namespace pawl::client {

using HttpHeaders = std::map<std::string, std::string>;  // names in lower case

// Large enough for every answer except a page of many large payloads.
inline constexpr std::size_t kAnswerBytesMax = 128U << 20U;

struct HttpTarget {
  HttpAddress address = {};
  std::string token = {};                             // none: no Authorization header
  core::Duration timeout = std::chrono::seconds{30};  // of the whole call, connecting included
  bool refuse_private = false;             // checked after resolving, so that a name cannot hide an address
  std::size_t body_max = kAnswerBytesMax;  // of an answer
  TlsFiles tls = {};
};

struct HttpRequest {
  std::string method = "GET";
  std::string path = {};  // with the query; appended to the address's prefix
  std::string body = {};
  HttpHeaders headers = {};
  std::optional<core::Duration> timeout = {};  // instead of the target's
  std::optional<std::size_t> body_max = {};    // the same
  bool repeatable = false;                     // a POST that is harmless when sent twice, and needs no key
};

struct HttpAnswer {
  int status = 0;
  std::string body = {};
  HttpHeaders headers = {};
};

class HttpCaller {
 public:
  HttpCaller(HttpTarget target, core::Random& random);
  HttpCaller(const HttpCaller&) = delete;
  HttpCaller& operator=(const HttpCaller&) = delete;
  ~HttpCaller();

  // Returns any answer, whatever its status. Problems: `invalid_argument`: a TLS file of the target is
  // invalid, or a part of the request has a control character (nothing is sent); `payload_too_large`: the
  // answer's body is too large; `unavailable`: cannot connect, or the connection was lost; `timeout`;
  // `forbidden`: the host has only private addresses, and those are refused.
  [[nodiscard]] core::Result<HttpAnswer> send(HttpRequest request);
  // The same, but an unsuccessful answer becomes its problem.
  [[nodiscard]] core::Result<HttpAnswer> call(HttpRequest request);

  void cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The problem in a refusal; built from the status if the body is not a problem.
[[nodiscard]] core::Problem problem_of(const HttpAnswer& answer);

}  // namespace pawl::client
