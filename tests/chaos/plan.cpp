#include "tests/chaos/plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pawl::chaos {

namespace {

constexpr std::chrono::milliseconds kShortest{6'000};

std::vector<ClusterOptions> clusters_on(StoreKind store) {
  std::vector<ClusterOptions> clusters{{.kind = store}};
  if (store == StoreKind::postgres)
    clusters.insert(clusters.end(), {{.kind = store, .durability = Durability::asynchronous_standby},
                                     {.kind = store, .durability = Durability::not_flushed}});
  clusters.push_back({.kind = store, .has_own_clock = true});
  return clusters;
}

// The fault that this kind of cluster exists for; none: all other faults.
std::optional<Fault> purpose_of(const ClusterOptions& cluster) {
  if (cluster.has_own_clock)
    return cluster.kind == StoreKind::sqlite ? Fault::step_node_clock : Fault::step_database_clock;
  switch (cluster.durability) {
    case Durability::synchronous: return std::nullopt;
    case Durability::asynchronous_standby: return Fault::promote_asynchronous;
    case Durability::not_flushed: return Fault::crash_unflushed;
  }
  return std::nullopt;
}

std::vector<Fault> faults_of(const ClusterOptions& cluster) {
  std::vector<Fault> faults{Fault::kill, Fault::kill_the_leader, Fault::stop};
  if (const auto purpose = purpose_of(cluster)) {
    faults.push_back(*purpose);
    return faults;
  }
  faults.push_back(Fault::exhaust_descriptors);
  if (cluster.kind == StoreKind::sqlite) {
    faults.push_back(Fault::replace_file);
  } else {
    faults.insert(faults.end(), {Fault::pause, Fault::close, Fault::stall, Fault::drop,
                                 Fault::restart_database, Fault::cancel_sync_waits, Fault::fail_over});
  }
  return faults;
}

}  // namespace

std::vector<Campaign> plan_of(StoreKind store, std::string_view only, const Campaign& base) {
  std::vector<Campaign> plan;
  for (const ClusterOptions& cluster : clusters_on(store)) {
    Campaign campaign = base;
    campaign.cluster = cluster;
    campaign.faults = faults_of(cluster);
    if (const auto purpose = purpose_of(cluster)) {
      if (!only.empty() && only != name_of(*purpose)) continue;
      if (only.empty()) campaign.time = std::max(kShortest, base.time / 10);
    } else if (!only.empty()) {
      std::erase_if(campaign.faults, [&](Fault fault) { return only != name_of(fault); });
      if (campaign.faults.empty()) continue;
    }
    plan.push_back(std::move(campaign));
  }
  return plan;
}

}  // namespace pawl::chaos
