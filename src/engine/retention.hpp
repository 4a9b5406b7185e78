#pragma once
// Finds rows past their retention: walks over tasks, runs and the audit log from the oldest on, page by page,
// and returns each page as a command that compares again under lock. Ids are in the order of creation and
// nothing ends before it is created, so a walk stops at the newest id that could be expired and needs no
// index of its own. Rows that a walk skips (tasks that have not ended or are kept longer) are visited again
// by the next walk.

#include <map>
#include <optional>
#include <string>

#include "core/records/retention.hpp"
#include "core/task/command.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// Throws StoreError.
[[nodiscard]] core::RetentionRules read_rules(store::Store& store, const core::Retention& standard);

class RetentionWalk {
 public:
  struct Page {
    std::string kind = {};                      // tasks, runs or audit
    std::optional<core::Command> command = {};  // none: nothing in the page is expired
    std::map<std::string, int> old = {};        // number of expired rows by namespace
  };

  // Reads the settings of the namespaces, which apply to the whole walk. Throws StoreError, as `next` does.
  RetentionWalk(store::Store& store, const core::Retention& standard);

  // None at the end of the walk.
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
