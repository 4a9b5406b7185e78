#pragma once
// Compares the responses of a server with its /openapi.json: the status, the headers, the media type and each
// field of the body. Thread-safe.

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "server/request.hpp"
#include "wire/operations.hpp"

namespace pawl::testing {

// Describes what `schema` does not allow in `value`, with its path; empty if it matches. An object may have
// no other fields than its schema names: stricter than the document, which lets clients ignore new ones.
[[nodiscard]] std::string mismatch(const nlohmann::json& document, const nlohmann::json& schema,
                                   const nlohmann::json& value, const std::string& path = "");

class AnswerCheck {
 public:
  // One instance for all servers of a test program, created with the first.
  static AnswerCheck& instance();

  // Fails the test if the response is not as described. `path` is the path of the request.
  void check(const wire::Route& route, const std::string& path, const server::Response& response);
  // Fails the test if the body of a successful request is not as described.
  void check_request(const wire::Route& route, const std::string& path, const std::string& body);
  // Fails the test if this is not the data of an event in the operation's stream.
  void check_event(std::string_view operation_id, const std::string& data);

  // The operations and statuses of all responses, as "getTask 200".
  [[nodiscard]] std::set<std::string> seen();
  // The successful statuses in the document.
  [[nodiscard]] std::set<std::string> successes() const;

 private:
  AnswerCheck();
  [[nodiscard]] const wire::Operation& operation_of(const wire::Route& route, const std::string& path) const;
  [[nodiscard]] const nlohmann::json* described(const wire::Operation& operation, int status) const;
  [[nodiscard]] std::string fault_of(const wire::Operation& operation,
                                     const server::Response& response) const;
  [[nodiscard]] std::string header_fault(const nlohmann::json& described,
                                         const server::Response& response) const;
  [[nodiscard]] std::string body_fault(const nlohmann::json& described,
                                       const server::Response& response) const;

  const std::vector<wire::Operation> operations_;
  const nlohmann::json document_;
  std::mutex mutex_;
  std::set<std::string> seen_;
};

}  // namespace pawl::testing
