#pragma once
// Caches the declared task types that runs need. All nodes see a change within kSeenWithin. Bounded.
// Thread-safe.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/env.hpp"
#include "core/task/task_type.hpp"

namespace pawl::engine {

class DeclaredTypes {
 public:
  static constexpr core::Duration kSeenWithin = std::chrono::seconds{1};

  using Read = std::function<std::optional<core::Record>(const core::RecordRef&)>;

  explicit DeclaredTypes(core::Clock& clock) : clock_(clock) {}

  // Null if there is none.
  [[nodiscard]] std::shared_ptr<const core::DeclaredType> find(const std::string& ns, const std::string& type,
                                                               const Read& read);

 private:
  struct Known {
    std::shared_ptr<const core::DeclaredType> type;
    core::TimePoint updated_at = {};  // of the record, as is `version`
    std::int64_t version = 0;
    core::MonotonicTime read_at = {};
  };

  // Requires the lock. Returns the cached type if the record has not changed since it was parsed, else null.
  [[nodiscard]] std::shared_ptr<const core::DeclaredType> known_as(const core::Record& record) const;

  core::Clock& clock_;
  std::mutex mutex_;
  std::map<core::RecordRef, Known> known_;
  std::size_t schema_bytes_ = 0;  // sum over `known_`
};

}  // namespace pawl::engine
