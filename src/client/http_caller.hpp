#pragma once
// A blocking HTTP/1.1 client on one kept connection, plain or TLS. Calls are made from one thread; `cancel`
// may come from any other and ends the call under way and all later ones.
//
// A kept connection that turns out dead is opened again once, and the request sent again if that can do no
// harm: it is no POST, or it carries an Idempotency-Key (made here for every POST that does not say that it
// is repeatable as it is).
//
// Always: a value of a request cannot end its line, so that no value becomes a header or a request of its
// own; an answer takes at most `body_max` bytes and 64 KiB of headers.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/http_address.hpp"
#include "client/tls_context.hpp"
#include "core/env.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace pawl::client {

using HttpHeaders = std::map<std::string, std::string>;  // names in lower case

// Large enough for every answer but a page of many large payloads.
inline constexpr std::size_t kAnswerBytesMax = 128U << 20U;

struct HttpTarget {
  HttpAddress address = {};
  std::string token = {};                             // none: no Authorization header
  core::Duration timeout = std::chrono::seconds{30};  // of one call, connecting included
  bool refuse_private = false;                        // after resolving, so that no name can hide an address
  std::size_t body_max = kAnswerBytesMax;             // of an answer
  TlsFiles tls = {};
};

struct HttpRequest {
  std::string method = "GET";
  std::string path = {};  // and query; after the address's prefix
  std::string body = {};
  HttpHeaders headers = {};
  std::optional<core::Duration> timeout = {};  // instead of the target's
  std::optional<std::size_t> body_max = {};    // the same
  bool repeatable = false;                     // a POST that does no harm twice and needs no key
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

  // Any answer, whatever its status. `invalid_argument`: a file of the target's TLS is no good, or a part of
  // the request has a control character (nothing is sent); `payload_too_large`: the answer's body;
  // `unavailable`: cannot connect, or the connection was lost; `timeout`; `forbidden`: only private addresses
  // where those are refused.
  [[nodiscard]] core::Result<HttpAnswer> send(HttpRequest request);
  // The same, and an answer that is no success is its problem.
  [[nodiscard]] core::Result<HttpAnswer> call(HttpRequest request);

  void cancel();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The problem that a refusal carries; one made of the status where the body is none of ours.
[[nodiscard]] core::Problem problem_of(const HttpAnswer& answer);

}  // namespace pawl::client
