#include "engine/plans.hpp"

#include <fmt/format.h>

#include "core/definition_record.hpp"
#include "store/store.hpp"

namespace pawl::engine {

namespace {

constexpr std::size_t kPlansMax = 1'000;

}  // namespace

SharedPlan Plans::known(const core::RecordRef& ref) {
  const std::lock_guard lock{mutex_};
  const auto found = plans_.find(ref);
  return found == plans_.end() ? nullptr : found->second;
}

SharedPlan Plans::keep(const core::RecordRef& ref, const core::Record& record) {
  const core::DefinitionVersion version = core::definition_version_from(record);
  auto definition = core::parse_definition(version.text.text, version.name);
  if (!definition) {
    throw store::StoreError{
        store::StoreError::Kind::internal,
        fmt::format("definition {} cannot be read: {}", ref.key, definition.problem().detail)};
  }
  auto plan = std::make_shared<const Plan>(version.version, std::move(*definition));
  const std::lock_guard lock{mutex_};
  const auto [entry, is_new] = plans_.emplace(ref, std::move(plan));
  SharedPlan kept = entry->second;
  if (!is_new) return kept;
  oldest_first_.push_back(ref);
  if (oldest_first_.size() > kPlansMax) {
    plans_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
  return kept;
}

SharedPlan Plans::latest(const std::string& ns, const std::string& name, const Read& read) {
  const auto record = read(core::definition_ref(ns, name));
  if (!record) return nullptr;
  const int version = core::definition_version_from(*record).version;
  const core::RecordRef ref = core::definition_ref(ns, name, version);
  if (SharedPlan plan = known(ref)) return plan;
  return keep(ref, *record);
}

SharedPlan Plans::find(const std::string& ns, const std::string& name, int version, const Read& read) {
  const core::RecordRef ref = core::definition_ref(ns, name, version);
  if (SharedPlan plan = known(ref)) return plan;
  const auto record = read(ref);
  return record ? keep(ref, *record) : nullptr;
}

}  // namespace pawl::engine
