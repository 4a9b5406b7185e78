#include "store/store.hpp"

#include <utility>

#include "store/lanes.hpp"

namespace pawl::store {

core::Problem StoreError::problem() const {
  using core::ProblemCode;
  switch (kind_) {
    case Kind::retry:
    case Kind::unavailable: return {.code = ProblemCode::unavailable, .detail = what()};
    case Kind::timeout: return {.code = ProblemCode::timeout, .detail = what()};
    case Kind::unknown:
      return {
          .code = ProblemCode::unavailable,
          .detail = std::string{"the store was lost while committing; the outcome is not known: "} + what()};
    case Kind::conflict: return {.code = ProblemCode::conflict, .detail = what()};
    case Kind::invalid: return {.code = ProblemCode::invalid_argument, .detail = what()};
    case Kind::schema: return {.code = ProblemCode::unavailable, .detail = what()};
    case Kind::internal: break;
  }
  return {.code = ProblemCode::internal, .detail = what()};
}

std::vector<const core::Lane*> Store::lanes_of(const QueueRef& queue) const { return lanes().of(queue); }

const core::Lane* Store::find_lane(const LaneKey& key) const { return lanes().find(key); }

std::vector<std::string> Store::namespaces() const { return lanes().namespaces(); }

std::optional<core::Record> Store::find_record(const core::RecordRef& ref) {
  auto records = select_records(ref);
  return records.empty() ? std::nullopt : std::optional{std::move(records.front())};
}

}  // namespace pawl::store
