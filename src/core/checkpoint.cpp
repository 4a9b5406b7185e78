#include "core/checkpoint.hpp"

#include <fmt/format.h>

namespace pawl::core {

std::string checkpoint_id(const TaskId& owner, std::int64_t sequence) {
  return fmt::format("{}-{}", to_string(owner), sequence);
}

}  // namespace pawl::core
