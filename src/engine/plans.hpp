#pragma once
// Definitions made ready to be run. A version never changes within one life of the store, so that it is read
// once; the latest version is read each time. Bounded. Any thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
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
  struct Read {
    std::uint64_t life = 0;  // of the store that is read
    std::function<std::optional<core::Record>(const core::RecordRef&)> record = {};
  };

  // Null if there is none.
  [[nodiscard]] SharedPlan latest(const std::string& ns, const std::string& name, const Read& read);
  [[nodiscard]] SharedPlan find(const std::string& ns, const std::string& name, int version,
                                const Read& read);

 private:
  using Key = std::pair<std::uint64_t, core::RecordRef>;  // the life, and the record of the version
  [[nodiscard]] SharedPlan known(const Key& key);
  [[nodiscard]] SharedPlan keep(const Key& key, const core::Record& record);

  std::mutex mutex_;
  std::map<Key, SharedPlan> plans_;
  std::deque<Key> oldest_first_;
};

}  // namespace pawl::engine
