#include "engine/declared_types.hpp"

namespace pawl::engine {

namespace {

constexpr std::size_t kTypesMax = 10'000;

}  // namespace

std::shared_ptr<const core::TaskType> DeclaredTypes::find(const std::string& ns, const std::string& type,
                                                          const Read& read) {
  const core::RecordRef ref = core::task_type_ref(ns, type);
  const core::MonotonicTime now = clock_.monotonic();
  {
    const std::lock_guard lock{mutex_};
    const auto found = known_.find(ref);
    if (found != known_.end() && now < found->second.read_at + kSeenWithin) return found->second.type;
  }
  const auto record = read(ref);
  auto declared =
      record ? std::make_shared<const core::TaskType>(core::task_type_from(record->body)) : nullptr;
  const std::lock_guard lock{mutex_};
  if (known_.size() >= kTypesMax) known_.clear();
  known_.insert_or_assign(ref, Known{.type = declared, .read_at = now});
  return declared;
}

}  // namespace pawl::engine
