#include "engine/declared_types.hpp"

namespace pawl::engine {

namespace {

constexpr std::size_t kTypesMax = 10'000;
constexpr std::size_t kSchemaBytesMax = 4U << 20U;  // of JSON text; the parsed form takes ten times as much

}  // namespace

std::shared_ptr<const core::DeclaredType> DeclaredTypes::known_as(const core::Record& record) const {
  const auto found = known_.find(record.ref);
  const bool is_same = found != known_.end() && found->second.version == record.version &&
                       found->second.updated_at == record.updated_at;
  return is_same ? found->second.type : nullptr;
}

std::shared_ptr<const core::DeclaredType> DeclaredTypes::find(const std::string& ns, const std::string& type,
                                                              const Read& read) {
  const core::RecordRef ref = core::task_type_ref(ns, type);
  const core::MonotonicTime now = clock_.monotonic();
  {
    const std::lock_guard lock{mutex_};
    const auto found = known_.find(ref);
    if (found != known_.end() && now < found->second.read_at + kSeenWithin) return found->second.type;
  }
  const auto record = read(ref);
  const std::lock_guard lock{mutex_};
  Known known;
  known.read_at = now;
  if (record) {
    known.type = known_as(*record);
    if (known.type == nullptr)
      known.type = std::make_shared<const core::DeclaredType>(core::task_type_from(record->body));
    known.updated_at = record->updated_at;
    known.version = record->version;
  }
  if (known_.size() >= kTypesMax || schema_bytes_ >= kSchemaBytesMax) {
    known_.clear();
    schema_bytes_ = 0;
  }
  const auto bytes_of = [](const Known& one) { return one.type == nullptr ? 0 : one.type->schema_bytes; };
  schema_bytes_ += bytes_of(known);
  const auto [entry, is_new] = known_.try_emplace(ref);
  if (!is_new) schema_bytes_ -= bytes_of(entry->second);
  entry->second = std::move(known);
  return entry->second.type;
}

}  // namespace pawl::engine
