#pragma once
// The calls of HttpApi on one connection to a server. Thread-safe: the calls take turns.

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "client/http_caller.hpp"

namespace pawl::client {

class HttpConnection {
 public:
  HttpConnection(HttpTarget target, core::Random& random) : caller_(std::move(target), random) {}

  // Refuses an invalid namespace here: it is part of the path.
  core::Result<HttpAnswer> send(const std::string& ns, HttpRequest request);
  // The same, but returns only the body.
  core::Result<std::string> call(const std::string& ns, HttpRequest request);

  // Ends the current call and all later ones.
  void cancel() { caller_.cancel(); }

 private:
  std::mutex mutex_;
  HttpCaller caller_;
};

// Each of these calls may be repeated: it gets the same answer, or is refused by its fence or its key.
[[nodiscard]] HttpRequest repeatable_post(std::string path, std::string body);
// The path of a named object: "/v1/default/workers/w1/drain".
[[nodiscard]] std::string path_of(const std::string& ns, std::string_view noun, const std::string& name,
                                  std::string_view verb = "");

}  // namespace pawl::client
