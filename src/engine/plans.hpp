#pragma once
// Caches parsed definitions. A version never changes within one life of the store, so it is read once; the
// latest version is read each time. Bounded in size. Thread-safe.

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

#include "core/definition/definition.hpp"
#include "core/definition/graph.hpp"
#include "core/records/record.hpp"
#include "core/run/working_run.hpp"

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
  // For each task, the nodes from which its input takes outputs.
  std::vector<std::vector<core::NodeIndex>> sources;
};
// Shared by the cache and its current users.
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
  using Key = std::pair<std::uint64_t, core::RecordRef>;  // the store's life, and the record of the version
  [[nodiscard]] SharedPlan cached(const Key& key);
  [[nodiscard]] SharedPlan keep(const Key& key, const core::Record& record);

  std::mutex mutex_;
  std::map<Key, SharedPlan> plans_;
  std::deque<Key> oldest_first_;
};

}  // namespace pawl::engine
