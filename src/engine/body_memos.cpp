// What the bodies of code runs are handed when they are claimed. BatchRuns' part.

#include <algorithm>
#include <unordered_map>

#include "engine/batch_runs.hpp"

namespace pawl::engine {

namespace {

template <typename Visit>
void each_body(std::vector<core::Result<core::Answer>>& claims, const Visit& visit) {
  for (core::Result<core::Answer>& answer : claims) {
    auto* claimed = answer ? std::get_if<std::vector<core::ClaimedTask>>(&*answer) : nullptr;
    if (claimed == nullptr) continue;
    for (core::ClaimedTask& one : *claimed) {
      if (one.task.run_id && core::is_body_type(one.task.type)) visit(one);
    }
  }
}

// What this group has changed stands for what is stored.
core::BodyMemo memo_of(core::WorkingRun& working, std::vector<core::Signal> signals) {
  for (const core::Signal* changed : working.changed_signals()) {
    std::erase_if(signals, [&](const core::Signal& one) { return one.sequence == changed->sequence; });
    if (!changed->consumed_by) signals.push_back(*changed);
  }
  std::vector<core::Node> nodes;
  for (const core::NodeKey key : working.all_keys()) nodes.push_back(working.node(key));
  return core::body_memo(working.run(), nodes, std::move(signals));
}

}  // namespace

void BatchRuns::add_memos(std::vector<core::Result<core::Answer>>& claims) {
  std::vector<core::RunId> ids;
  each_body(claims, [&](const core::ClaimedTask& one) {
    if (!runs_.is_new(*one.task.run_id)) ids.push_back(*one.task.run_id);
  });
  std::sort(ids.begin(), ids.end());
  std::unordered_map<core::RunId, core::BodyMemo> kept;
  runs_.visit_kept(ids, [&kept](const core::RunId& id, core::WorkingRun& working) {
    kept.emplace(id, memo_of(working, {}));
  });
  const auto stored =
      ids.empty() ? std::vector<std::optional<store::StoredRun>>{} : around_.tx.peek_runs(ids);
  each_body(claims, [&](core::ClaimedTask& one) {
    if (const auto found = kept.find(*one.task.run_id); found != kept.end()) {
      one.memo = std::make_shared<const core::BodyMemo>(std::move(found->second));
      return;
    }
    const auto place = std::lower_bound(ids.begin(), ids.end(), *one.task.run_id);
    const bool is_stored = place != ids.end() && *place == *one.task.run_id;
    const auto* found = is_stored ? &stored[static_cast<std::size_t>(place - ids.begin())] : nullptr;
    std::vector<core::Signal> signals =
        found != nullptr && *found ? (*found)->signals : std::vector<core::Signal>{};
    core::WorkingRun* working = runs_.here(*one.task.run_id);
    one.memo = std::make_shared<const core::BodyMemo>(
        working != nullptr ? memo_of(*working, std::move(signals))
                           : core::body_memo((*found)->run, (*found)->nodes, std::move(signals)));
  });
}

}  // namespace pawl::engine
