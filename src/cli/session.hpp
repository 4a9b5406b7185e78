#pragma once
// A command's conversation with the server: the address, namespace and token that its flags give. One thread.

#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "client/http_caller.hpp"
#include "core/result.hpp"

namespace pawl::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] core::Result<client::HttpTarget> target_of(const Input& input);
// The same with its files looked at: a call to it that is refused was refused by the server.
[[nodiscard]] core::Result<client::HttpTarget> checked_target_of(const Input& input);

class Session {
 public:
  Session(client::HttpTarget target, std::string ns, core::Random& random)
      : ns_(std::move(ns)), caller_(std::move(target), random) {}

  // Paths are within the namespace ("/tasks") unless they begin with "/v1/" or stand alone ("/readyz").
  core::Result<client::HttpAnswer> get(std::string_view path) { return call("GET", path, ""); }
  core::Result<client::HttpAnswer> post(std::string_view path, std::string body) {
    return call("POST", path, std::move(body));
  }
  core::Result<client::HttpAnswer> put(std::string_view path, std::string body,
                                       const std::string& content_type = "application/json") {
    return call("PUT", path, std::move(body), {{"content-type", content_type}});
  }
  core::Result<client::HttpAnswer> remove(std::string_view path) { return call("DELETE", path, ""); }
  // Any status is an answer; the path is taken as it is.
  core::Result<client::HttpAnswer> look_at(std::string path) {
    return caller_.send({.path = std::move(path)});
  }
  // Whether the last call had an answer, good or bad: what fails after it is neither wrong usage nor a server
  // that cannot be reached.
  [[nodiscard]] bool was_answered() const { return was_answered_; }

 private:
  core::Result<client::HttpAnswer> call(std::string method, std::string_view path, std::string body,
                                        client::HttpHeaders headers = {});

  std::string ns_;
  client::HttpCaller caller_;
  bool was_answered_ = false;
};

// Prints what a server refused; of a caller that it does not know, how to become known. Gives the exit code.
int tell_refusal(Context& context, std::string_view what, const core::Problem& problem);
// The same of a call that does not say whether a server refused or none was there; asks once more which.
int tell_failed_call(Context& context, std::string_view what, const client::HttpTarget& target,
                     const core::Problem& problem);

// Opens the session, lets `work` use it and prints the problem there was, if any. Gives the exit code.
int with_session(Context& context, const Input& input, const std::function<core::Status(Session&)>& work);

// `internal` if the server's answer is no JSON.
[[nodiscard]] core::Result<Json> json_of(const client::HttpAnswer& answer);

// A member's text: strings as they are, null and absent as "", everything else as JSON.
[[nodiscard]] std::string text_at(const Json& object, const std::string& name);
[[nodiscard]] std::int64_t number_at(const Json& object, const std::string& name);  // 0 if it is none

// Asks for page after page until there is no more or `limit` items were handed on; each item comes as the
// JSON text it has in the answer. limit 0: all.
[[nodiscard]] core::Status each_item(Session& session, const std::string& path, const std::string& query,
                                     std::int64_t limit, const std::function<void(std::string_view)>& take);

}  // namespace pawl::cli
