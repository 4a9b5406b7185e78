#include "core/records/checkpoint.hpp"

namespace pawl::core {

Uuid id_of(const CheckpointOwner& owner) {
  return std::visit([](const Uuid& id) { return id; }, owner);
}

std::string checkpoint_id(const CheckpointOwner& owner, std::int64_t sequence, TimePoint created_at) {
  return to_string(derived_id(created_at, id_of(owner), sequence));
}

}  // namespace pawl::core
