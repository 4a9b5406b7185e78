#include "engine/body_memos.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/run/node_page.hpp"

namespace pawl::engine {

namespace {

bool is_body(const core::ClaimedTask& claimed) {
  return claimed.task.run_id && core::is_body_type(claimed.task.type);
}

// Calls `visit(claimed task, page)` for each body.
template <typename Visit>
void each_body(std::span<const WaitingClaim> claims, std::vector<core::Result<core::Answer>>& answers,
               const Visit& visit) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    auto* claimed = answers[i] ? std::get_if<std::vector<core::ClaimedTask>>(&*answers[i]) : nullptr;
    if (claimed == nullptr) continue;
    const auto bodies = static_cast<std::size_t>(std::count_if(claimed->begin(), claimed->end(), is_body));
    if (bodies == 0) continue;
    const core::NodePage page = core::claim_page(bodies, claims[i].claim.memo_pages);
    for (core::ClaimedTask& one : *claimed) {
      if (is_body(one)) visit(one, page);
    }
  }
}

// Unread signals: changes of this group replace the stored signals.
std::vector<core::Signal> unread_by(const core::WorkingRun& working, std::vector<core::Signal> stored) {
  for (const core::Signal* changed : working.changed_signals()) {
    std::erase_if(stored, [&](const core::Signal& one) { return one.sequence == changed->sequence; });
    if (!changed->consumed_by) stored.push_back(*changed);
  }
  return stored;
}

// For a run whose nodes are all in memory.
core::NodeSlice slice_of(core::WorkingRun& working, const core::NodePage& page) {
  core::NodeSlice slice;
  for (const core::NodeKey key : working.all_keys()) slice.nodes.push_back(working.node(key));
  core::cut(slice, page);
  return slice;
}

core::NodeSlice slice_of(core::WorkingRun& working, const core::NodePage& page, store::StoredRun& stored) {
  if (working.has_all_nodes()) return slice_of(working, page);
  core::NodeSlice slice{.nodes = std::move(stored.nodes), .next = stored.next_node};
  core::overlay(slice, working.changed_nodes());
  core::cut(slice, page);
  return slice;
}

core::BodyMemo memo_of(const store::PeekRun& peek, std::optional<store::StoredRun>& found,
                       WorkingRuns& runs) {
  store::StoredRun stored = found ? std::move(*found) : store::StoredRun{};
  core::WorkingRun* working = runs.here(peek.id);
  if (working == nullptr) {
    return core::body_memo(stored.run, {.nodes = std::move(stored.nodes), .next = stored.next_node},
                           std::move(stored.signals));
  }
  std::vector<core::Signal> signals = unread_by(*working, std::move(stored.signals));
  return core::body_memo(working->run(), slice_of(*working, peek.page, stored), std::move(signals));
}

}  // namespace

void add_memos(std::span<const WaitingClaim> claims, std::vector<core::Result<core::Answer>>& answers,
               WorkingRuns& runs, store::Transaction& tx) {
  std::map<core::RunId, core::NodePage> pages;
  each_body(claims, answers, [&](const core::ClaimedTask& one, const core::NodePage& page) {
    pages.emplace(*one.task.run_id, page);
  });
  std::vector<core::RunId> ids;
  for (const auto& [id, page] : pages) {
    if (!runs.is_new(id)) ids.push_back(id);
  }
  std::unordered_map<core::RunId, core::BodyMemo> memos;
  runs.visit_cached(ids, [&](const core::RunId& id, core::WorkingRun& working) {
    memos.emplace(id, core::body_memo(working.run(), slice_of(working, pages.at(id)), {}));
  });
  std::vector<store::PeekRun> peeks;
  for (const core::RunId& id : ids) peeks.push_back({.id = id, .page = pages.at(id)});
  auto stored = peeks.empty() ? std::vector<std::optional<store::StoredRun>>{} : tx.peek_runs(peeks);
  for (std::size_t i = 0; i < peeks.size(); ++i)
    memos.emplace(peeks[i].id, memo_of(peeks[i], stored[i], runs));
  each_body(claims, answers, [&](core::ClaimedTask& one, const core::NodePage& page) {
    const core::RunId& id = *one.task.run_id;
    auto found = memos.find(id);
    if (found == memos.end()) {  // started by this group
      core::WorkingRun& working = *runs.here(id);
      found =
          memos.emplace(id, core::body_memo(working.run(), slice_of(working, page), unread_by(working, {})))
              .first;
    }
    one.memo = std::make_shared<const core::BodyMemo>(std::move(found->second));
  });
}

}  // namespace pawl::engine
