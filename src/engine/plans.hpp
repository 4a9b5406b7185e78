#pragma once
// Definitions made ready to be run. A version never changes, so that one that was read once is good for ever;
// which version is the latest is asked each time. Bounded. Any thread.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/definition.hpp"
#include "core/graph.hpp"
#include "core/record.hpp"
#include "core/working_run.hpp"

namespace pawl::engine {

struct Plan {
  Plan(int number, core::Definition checked);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() = default;

  [[nodiscard]] core::RunPlan view() const { return {.definition = &definition, .graph = &graph}; }

  int version;
  core::Definition definition;
  core::Graph graph;
  // Whose outputs the input of each task is made from.
  std::vector<std::vector<core::NodeIndex>> sources;
};
// Shared by the cache and all that use it at the moment.
using SharedPlan = std::shared_ptr<const Plan>;

class Plans {
 public:
  using Read = std::function<std::optional<core::Record>(const core::RecordRef&)>;

  // Null if there is none.
  [[nodiscard]] SharedPlan latest(const std::string& ns, const std::string& name, const Read& read);
  [[nodiscard]] SharedPlan find(const std::string& ns, const std::string& name, int version,
                                const Read& read);

 private:
  [[nodiscard]] SharedPlan known(const core::RecordRef& ref);
  [[nodiscard]] SharedPlan keep(const core::RecordRef& ref, const core::Record& record);

  std::mutex mutex_;
  std::map<core::RecordRef, SharedPlan> plans_;  // by the record of the version
  std::deque<core::RecordRef> oldest_first_;
};

}  // namespace pawl::engine
