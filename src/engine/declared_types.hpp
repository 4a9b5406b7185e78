#pragma once
// The declared types of tasks as runs need them, kept for a moment: a change is seen by all nodes within
// kSeenWithin. Bounded. Any thread.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/env.hpp"
#include "core/task_type.hpp"

namespace pawl::engine {

class DeclaredTypes {
 public:
  static constexpr core::Duration kSeenWithin = std::chrono::seconds{1};

  using Read = std::function<std::optional<core::Record>(const core::RecordRef&)>;

  explicit DeclaredTypes(core::Clock& clock) : clock_(clock) {}

  // Null if there is none.
  [[nodiscard]] std::shared_ptr<const core::TaskType> find(const std::string& ns, const std::string& type,
                                                           const Read& read);

 private:
  struct Known {
    std::shared_ptr<const core::TaskType> type;
    core::MonotonicTime read_at;
  };

  core::Clock& clock_;
  std::mutex mutex_;
  std::map<core::RecordRef, Known> known_;
};

}  // namespace pawl::engine
