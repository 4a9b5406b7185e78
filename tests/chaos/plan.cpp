#include "tests/chaos/plan.hpp"

#include <algorithm>

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

bool is_only_by_name(Fault fault) {
  return std::find(kOnlyByName.begin(), kOnlyByName.end(), fault) != kOnlyByName.end();
}

bool is_wanted(Fault fault, std::string_view only, const ClusterOptions& cluster) {
  if (only.empty()) return !is_only_by_name(fault);
  // The leadership must move on also while the end of the log is lost.
  const bool is_beside = cluster.durability != Durability::synchronous && fault == Fault::kill_the_leader;
  return only == name_of(fault) || (is_beside && only != name_of(Fault::kill_the_leader));
}

// A cluster of a kind is worth a campaign for the faults that happen in no cluster before it.
bool is_worth_it(const std::vector<Fault>& faults, const std::vector<Campaign>& before) {
  return std::any_of(faults.begin(), faults.end(), [&](Fault fault) {
    return std::none_of(before.begin(), before.end(),
                        [&](const Campaign& campaign) {
                          return std::find(campaign.faults.begin(), campaign.faults.end(), fault) !=
                                 campaign.faults.end();
                        }) &&
           fault != Fault::kill_the_leader;
  });
}

}  // namespace

std::vector<Campaign> plan_of(StoreKind store, std::string_view only, const Campaign& base) {
  std::vector<Campaign> plan;
  for (const ClusterOptions& cluster : clusters_on(store)) {
    std::vector<Fault> faults = faults_of(cluster);
    std::erase_if(faults, [&](Fault fault) { return !is_wanted(fault, only, cluster); });
    const bool is_first = plan.empty();
    const bool is_for_leader = only == name_of(Fault::kill_the_leader) && is_first && !faults.empty();
    if (!is_for_leader && !is_worth_it(faults, plan)) continue;
    Campaign campaign = base;
    campaign.cluster = cluster;
    campaign.faults = std::move(faults);
    if (!is_first) campaign.time = std::max(kShortest, base.time / 10);
    plan.push_back(std::move(campaign));
  }
  return plan;
}

}  // namespace pawl::chaos
