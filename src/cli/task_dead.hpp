#pragma once
// pawl task dead: the dead letters, grouped by cause.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace pawl::cli {

struct DeadGroup {
  std::string code;
  std::string type;
  std::int64_t count = 0;
  std::string newest_id;
  std::string newest_message;
};

// Groups tasks by error code and type. Add tasks as JSON text, the newest first; the largest group is the
// first.
class DeadGroups {
 public:
  void add(std::string_view task);
  [[nodiscard]] std::vector<DeadGroup> sorted() const;

 private:
  std::vector<DeadGroup> groups_;
};

[[nodiscard]] Command dead_letters_command();

}  // namespace pawl::cli
