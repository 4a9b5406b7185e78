#pragma once
// Finds what is too old to be kept: walks over tasks, runs and the audit from the oldest on, a page at a
// time, and gives each page as a command that compares again. Ids are in the order of creation and nothing
// can be older than its creation, so that a walk ends where the youngest that could be old was created, and
// needs no index of its own. What it passes by (a task that has not ended, or is kept for longer) it meets
// again on the next walk.

#include <map>
#include <optional>
#include <string>

#include "core/command.hpp"
#include "core/retention.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// Throws StoreError.
[[nodiscard]] core::RetentionRules read_rules(store::Store& store, const core::Retention& standard);

class RetentionWalk {
 public:
  struct Page {
    std::string kind = {};                      // tasks, runs or audit
    std::optional<core::Command> command = {};  // none: nothing of it is old
    std::map<std::string, int> old = {};        // how many, by namespace
  };

  // Reads what the namespaces have set; it holds for the walk. Throws StoreError, as `next` does.
  RetentionWalk(store::Store& store, const core::Retention& standard);

  // Nothing: the walk is at its end.
  [[nodiscard]] std::optional<Page> next();

 private:
  enum class Stage : std::uint8_t { tasks, runs, audit, over };

  [[nodiscard]] Page tasks();
  [[nodiscard]] Page runs();
  [[nodiscard]] Page audit();
  [[nodiscard]] bool may_go(const core::Run& run);

  store::Store& store_;
  core::TimePoint now_;
  core::RetentionRules rules_;
  Stage stage_ = Stage::tasks;
  core::TaskId after_task_ = {};
  core::RunId after_run_ = {};
  std::int64_t after_entry_ = 0;
};

}  // namespace pawl::engine
