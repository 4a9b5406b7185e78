#include "engine/lanes.hpp"

#include <utility>

#include "core/base/canary.hpp"
#include "engine/sort_distinct.hpp"

namespace pawl::engine {

namespace {

core::LanePlace lane_place_of(const core::TaskSpec& spec) {
  return core::lane_place(spec.priority, spec.fairness_key.has_value());
}

bool has_same_lane(const core::TaskSpec& a, const core::TaskSpec& b) {
  return lane_place_of(a) == lane_place_of(b) && a.type == b.type && a.queue == b.queue &&
         a.run_id.has_value() == b.run_id.has_value();
}

bool is_lane_of(const core::Lane& lane, const std::string& ns, const core::TaskSpec& spec) {
  const core::LanePlace place{.priority = lane.priority, .fair = lane.fair};
  return place == lane_place_of(spec) && lane.type == spec.type && lane.queue == spec.queue &&
         lane.ns == ns && lane.of_runs == spec.run_id.has_value();
}

}  // namespace

store::LaneKey lane_key(const std::string& ns, const core::TaskSpec& spec, bool of_runs) {
  const core::LanePlace place = lane_place_of(spec);
  return {.ns = ns,
          .queue = spec.queue,
          .type = spec.type,
          .priority = place.priority,
          .of_runs = of_runs,
          .fair = place.fair};
}

Lanes intern_lanes(store::Store& store, const std::vector<const core::Command*>& commands) {
  std::vector<store::LaneKey> keys;
  for (const core::Command* command : commands) {
    const auto* enqueue = std::get_if<core::EnqueueTasks>(command);
    if (enqueue == nullptr) continue;
    const core::TaskSpec* last = nullptr;
    for (const core::TaskSpec& spec : enqueue->tasks) {
      const bool is_same = last != nullptr && has_same_lane(*last, spec);
      last = &spec;
      if (!is_same) keys.push_back(lane_key(enqueue->ns, spec, spec.run_id.has_value()));
    }
  }
  Lanes lanes;
  if (keys.empty()) return lanes;
  sort_distinct(keys);
  const auto interned = store.intern_lanes(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) lanes.emplace(std::move(keys[i]), interned[i]);
  return lanes;
}

const core::Lane* LaneFinder::find(const std::string& ns, const core::TaskSpec& spec) {
  const bool is_same = last_ != nullptr && (is_lane_of(*last_, ns, spec) ||
                                            core::planted(core::Canary::lane_reused_across_types));
  if (!is_same) last_ = lanes_.at(lane_key(ns, spec, spec.run_id.has_value()));
  return last_;
}

}  // namespace pawl::engine
