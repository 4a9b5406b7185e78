#pragma once
// Leadership changes as the store records them: a trigger logs every change in the transaction that made it.
// Connects directly to the store, without the nodes and their proxies.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/cluster.hpp"

namespace pawl::chaos {

// One change; times are microseconds of the store's clock.
struct LeaderChange {
  std::string node = {};
  std::int64_t term = 0;
  std::int64_t until = 0;
  std::int64_t at = 0;
};

class StoreWatch {
 public:
  StoreWatch() = default;
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;
  virtual ~StoreWatch() = default;

  // In the order of the changes; empty while the store is unavailable.
  [[nodiscard]] virtual std::vector<LeaderChange> leader_changes() = 0;
};

// Installs the trigger.
[[nodiscard]] std::unique_ptr<StoreWatch> watch_store(const Cluster& cluster);

}  // namespace pawl::chaos
