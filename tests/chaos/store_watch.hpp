#pragma once
// What the store itself writes down for the campaign: a trigger of ours notes every change of the leadership,
// inside of the transaction that made it. Past the nodes and their proxies.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/cluster.hpp"

namespace pawl::chaos {

// One change, in microseconds of the store's clock.
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

  // In the order in which they were made; empty while the store is away.
  [[nodiscard]] virtual std::vector<LeaderChange> leader_changes() = 0;
};

// Begins to watch.
[[nodiscard]] std::unique_ptr<StoreWatch> watch_store(const Cluster& cluster);

}  // namespace pawl::chaos
