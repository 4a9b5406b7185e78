#pragma once
// Maps task types to handlers. Thread-safe once it is filled.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/http_address.hpp"
#include "core/base/result.hpp"

namespace pawl::worker {

struct ShellHandler {
  std::string command;

  bool operator==(const ShellHandler&) const = default;
};
struct HttpHandler {
  client::HttpAddress address;

  bool operator==(const HttpHandler&) const = default;
};
using Handler = std::variant<ShellHandler, HttpHandler>;

class Handlers {
 public:
  // A rule is "TYPE=COMMAND" or "TYPE=URL"; a type that ends in '*' matches all types with that prefix.
  [[nodiscard]] core::Status add_shell(std::string_view rule);
  [[nodiscard]] core::Status add_http(std::string_view rule);

  // The exact type first, then the longest prefix; null if none matches.
  [[nodiscard]] const Handler* find(std::string_view type) const;
  // The types as they were given, which is also how a claim names them.
  [[nodiscard]] std::vector<std::string> types() const;
  [[nodiscard]] bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    std::string type;  // without the '*'
    bool is_beginning = false;
    Handler handler;
  };
  core::Status add(std::string_view type, Handler handler);

  std::vector<Rule> rules_;
};

}  // namespace pawl::worker
