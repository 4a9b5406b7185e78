#pragma once
// A command's session with the server: the address, namespace and token from its flags. Not thread-safe.

#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "client/http_caller.hpp"
#include "core/base/result.hpp"

namespace pawl::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] core::Result<client::HttpTarget> target_of(const Input& input);
// The same, but also checks the certificate files, so that a rejected call was rejected by the server.
[[nodiscard]] core::Result<client::HttpTarget> checked_target_of(const Input& input);

class Session {
 public:
  Session(client::HttpTarget target, std::string ns, core::Random& random)
      : ns_(std::move(ns)), caller_(std::move(target), random) {}

  // Paths are within the namespace ("/tasks") unless they begin with "/v1/".
  core::Result<client::HttpAnswer> get(std::string_view path) { return call("GET", path, ""); }
  core::Result<client::HttpAnswer> post(std::string_view path, std::string body) {
    return call("POST", path, std::move(body));
  }
  core::Result<client::HttpAnswer> put(std::string_view path, std::string body,
                                       const std::string& content_type = "application/json") {
    return call("PUT", path, std::move(body), {{"content-type", content_type}});
  }
  core::Result<client::HttpAnswer> remove(std::string_view path) { return call("DELETE", path, ""); }
  // Returns any status as a response and uses the path unchanged.
  core::Result<client::HttpAnswer> look_at(std::string path) {
    return caller_.send({.path = std::move(path)});
  }
  // Whether the last call received a response, good or bad. A later failure is then neither wrong usage nor
  // an unreachable server.
  [[nodiscard]] bool was_answered() const { return was_answered_; }

 private:
  core::Result<client::HttpAnswer> call(std::string method, std::string_view path, std::string body,
                                        client::HttpHeaders headers = {});

  std::string ns_;
  client::HttpCaller caller_;
  bool was_answered_ = false;
};

// Prints an error response of the server; for an unauthorized caller also how to get a token. Returns the
// exit code.
int tell_refusal(Context& context, std::string_view what, const core::Problem& problem);
// The same for a failed call that does not show whether the server rejected it or was unreachable: one more
// request decides. Returns the exit code.
int tell_failed_call(Context& context, std::string_view what, const client::HttpTarget& target,
                     const core::Problem& problem);

// Opens the session, runs `work` and prints its problem, if any. Returns the exit code.
int with_session(Context& context, const Input& input, const std::function<core::Status(Session&)>& work);

// `internal` if the response is not JSON.
[[nodiscard]] core::Result<Json> json_of(const client::HttpAnswer& answer);

// Prints the response: unchanged with --json, otherwise with `show`.
core::Status print_answer(Context& context, const Input& input,
                          const core::Result<client::HttpAnswer>& answer,
                          const std::function<void(const Json&)>& show);

// A member's text: strings as they are, null and absent as "", everything else as JSON.
[[nodiscard]] std::string text_at(const Json& object, const std::string& name);
// 0 if it is not an integer.
[[nodiscard]] std::int64_t number_at(const Json& object, const std::string& name);

// Requests page after page until no page or `limit` items remain; limit 0: all. Calls `take` with each item's
// JSON text, unchanged from the response.
[[nodiscard]] core::Status each_item(Session& session, const std::string& path, const std::string& query,
                                     std::int64_t limit, const std::function<void(std::string_view)>& take);

}  // namespace pawl::cli
