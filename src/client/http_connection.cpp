#include "client/http_connection.hpp"

#include <fmt/format.h>

#include "core/task/command.hpp"
#include "wire/percent.hpp"

namespace pawl::client {

core::Result<HttpAnswer> HttpConnection::send(const std::string& ns, HttpRequest request) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  const std::lock_guard lock{mutex_};
  return caller_.call(std::move(request));
}

core::Result<std::string> HttpConnection::call(const std::string& ns, HttpRequest request) {
  auto answer = send(ns, std::move(request));
  if (!answer) return answer.problem();
  return std::move(answer->body);
}

HttpRequest repeatable_post(std::string path, std::string body) {
  HttpRequest request{.method = "POST", .path = std::move(path), .body = std::move(body)};
  request.repeatable = true;
  return request;
}

std::string path_of(const std::string& ns, std::string_view noun, const std::string& name,
                    std::string_view verb) {
  return fmt::format("/v1/{}/{}/{}{}", wire::percent_encoded(ns), noun, wire::percent_encoded(name), verb);
}

}  // namespace pawl::client
