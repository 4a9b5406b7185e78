#pragma once
// Which handler runs which type. Read only once made; any thread.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/http_address.hpp"
#include "core/result.hpp"

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
  // "TYPE=COMMAND" and "TYPE=URL"; a type that ends in '*' stands for all that begin so.
  [[nodiscard]] core::Status add_shell(std::string_view rule);
  [[nodiscard]] core::Status add_http(std::string_view rule);

  // The exact type first, then the longest beginning; nothing if there is none.
  [[nodiscard]] const Handler* find(std::string_view type) const;
  // As they were given, which is how a claim names them too.
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
