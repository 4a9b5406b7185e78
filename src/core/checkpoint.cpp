#include "core/checkpoint.hpp"

#include <fmt/format.h>

namespace pawl::core {

Uuid id_of(const CheckpointOwner& owner) {
  return std::visit([](const Uuid& id) { return id; }, owner);
}

std::string checkpoint_id(const CheckpointOwner& owner, std::int64_t sequence) {
  return fmt::format("{}-{}", to_string(id_of(owner)), sequence);
}

}  // namespace pawl::core
