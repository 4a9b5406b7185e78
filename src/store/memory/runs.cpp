#include "store/memory/runs.hpp"

#include <algorithm>

#include "core/run/run_transitions.hpp"
#include "store/memory/transaction.hpp"

namespace pawl::store::memory {

namespace {

bool matches(const core::Run& run, const core::RunQuery& query) {
  const core::RunFacts& facts = run.facts;
  const auto& states = query.states;
  if (!query.ns.empty() && facts.ns != query.ns) return false;
  if (!states.empty() && std::find(states.begin(), states.end(), run.state) == states.end()) return false;
  if (query.retrying && !core::is_retrying(run)) return false;
  if (query.workflow && facts.workflow != *query.workflow) return false;
  if (query.run_key && facts.run_key != query.run_key) return false;
  if (query.parent && (!facts.parent || facts.parent->run_id != *query.parent)) return false;
  if (query.label) {
    const auto label = facts.labels.find(query.label->first);
    if (label == facts.labels.end() || label->second != query.label->second) return false;
  }
  if (query.created_after && run.created_at <= *query.created_after) return false;
  return !query.created_before || run.created_at < *query.created_before;
}

const RunRow* row_of(const State& state, const core::RunId& id) {
  const auto found = state.runs.find(id);
  return found == state.runs.end() ? nullptr : &found->second;
}

std::optional<core::TimePoint> deadline_of(const core::Run& run) {
  return core::may_move(run.state, core::RunState::failing) ? run.deadline_at : std::nullopt;
}

// Updates the time of one entry in `index`, which is ordered by time.
template <typename Index, typename One>
void move_in(Index& index, const One& one, std::optional<core::TimePoint> from,
             std::optional<core::TimePoint> to) {
  if (from) index.erase({*from, one});
  if (to) index.emplace(*to, one);
}

void count_claimed(const State& state, core::Run& run) {
  if (run.counts.pending == 0) return;
  run.claimed = std::count_if(state.leases.begin(), state.leases.end(), [&](const Due& lease) {
    const core::TaskRecord& record = state.tasks.at(lease.second).record;
    return record.facts.run && record.facts.run->run_id == run.facts.id && !record.lease->started_at;
  });
}

}  // namespace

std::optional<StoredRun> find_run(const State& state, const core::RunId& id, RunParts parts) {
  const RunRow* row = row_of(state, id);
  if (row == nullptr) return std::nullopt;
  StoredRun stored{.run = row->run, .hash = row->hash, .row = core::mark_of(row->run)};
  if (parts.nodes || parts.page) {
    core::NodeSlice slice;
    const core::NodeKey from = parts.page ? parts.page->from : core::NodeKey{};
    for (auto node = row->nodes.lower_bound(from); node != row->nodes.end(); ++node)
      slice.nodes.push_back(node->second);
    if (parts.page) core::cut(slice, *parts.page);
    stored.nodes = std::move(slice.nodes);
    stored.next_node = slice.next;
  }
  if (parts.signals) {
    for (const auto& [sequence, signal] : row->signals) stored.signals.push_back(signal);
  }
  if (parts.events) stored.events = row->events;
  if (parts.claims) count_claimed(state, stored.run);
  return stored;
}

std::vector<core::Run> list_runs(const State& state, const RunPage& page) {
  std::vector<core::Run> runs;
  const auto take = [&](const RunRow& row) {
    if (matches(row.run, page.query)) runs.push_back(row.run);
    return runs.size() < page.limit;
  };
  if (page.newest_first) {
    auto row = page.after ? state.runs.lower_bound(*page.after) : state.runs.end();
    while (row != state.runs.begin() && take((--row)->second)) {
    }
  } else {
    auto row = page.after ? state.runs.upper_bound(*page.after) : state.runs.begin();
    while (row != state.runs.end() && take(row->second)) ++row;
  }
  if (page.with_claims) {
    for (core::Run& run : runs) count_claimed(state, run);
  }
  return runs;
}

std::vector<StoredEvent> list_run_events(const State& state, const core::RunId& run, std::int64_t after,
                                         std::size_t limit) {
  std::vector<StoredEvent> events;
  const RunRow* row = row_of(state, run);
  if (row == nullptr) return events;
  for (const StoredEvent& event : row->events) {
    if (event.event.sequence > after && events.size() < limit) events.push_back(event);
  }
  return events;
}

DueRuns due_runs(const State& state, core::TimePoint now, std::size_t limit) {
  DueRuns due;
  const auto is_due = [&](core::TimePoint at, std::size_t count) {
    if (at <= now && count < limit) return true;
    due.next = std::min(due.next.value_or(at), at);
    return false;
  };
  for (const auto& [at, timer] : state.timers) {
    if (!is_due(at, due.timers.size())) break;
    due.timers.push_back({.run_id = timer.run, .node = timer.key});
  }
  for (const auto& [at, run] : state.deadlines) {
    if (!is_due(at, due.deadlines.size())) break;
    due.deadlines.push_back(run);
  }
  return due;
}

std::vector<core::RunId> stuck_runs(const State& state, core::TimePoint silent_since, std::size_t limit) {
  std::vector<core::RunId> ids;
  for (const auto& [id, row] : state.runs) {
    const bool is_stuck = row.run.state == core::RunState::running && row.run.updated_at <= silent_since;
    if (is_stuck && ids.size() < limit) ids.push_back(id);
  }
  return ids;
}

std::vector<std::optional<StoredRun>> MemoryTransaction::lock_runs(std::span<const core::RunId> ids) {
  std::vector<std::optional<StoredRun>> found;
  for (const core::RunId& id : ids) found.push_back(find_run(state_, id, {}));
  return found;
}

std::vector<std::optional<StoredRun>> MemoryTransaction::peek_runs(std::span<const PeekRun> peeks) {
  std::vector<std::optional<StoredRun>> found;
  for (const PeekRun& peek : peeks) {
    auto& run = found.emplace_back(find_run(state_, peek.id, {.page = peek.page, .signals = true}));
    if (run) std::erase_if(run->signals, [](const core::Signal& one) { return one.consumed_by.has_value(); });
  }
  return found;
}

std::vector<std::optional<core::RunId>> MemoryTransaction::read_run_keys(std::span<const RunKeyRef> refs) {
  std::vector<std::optional<core::RunId>> found;
  for (const RunKeyRef& ref : refs) {
    const auto run = state_.run_keys.find(ref);
    found.push_back(run == state_.run_keys.end() ? std::nullopt : std::optional{run->second});
  }
  return found;
}

std::vector<std::optional<core::Node>> MemoryTransaction::load_nodes(std::span<const NodeRef> refs) {
  std::vector<std::optional<core::Node>> found;
  for (const NodeRef& ref : refs) {
    const auto& nodes = state_.runs.at(ref.run).nodes;
    const auto node = nodes.find(ref.key);
    found.push_back(node == nodes.end() ? std::nullopt : std::optional{node->second});
  }
  return found;
}

std::vector<core::Node> MemoryTransaction::list_nodes(const core::RunId& run, NodeFilter filter) {
  std::vector<core::Node> found;
  for (const auto& [key, node] : state_.runs.at(run).nodes) {
    if (filter.items_of && (key.index != *filter.items_of || key.item == core::kNoItem)) continue;
    if (filter.earliest_timers && !node.timer_at) continue;
    found.push_back(node);
  }
  if (!filter.earliest_timers) return found;
  std::stable_sort(found.begin(), found.end(),
                   [](const core::Node& a, const core::Node& b) { return *a.timer_at < *b.timer_at; });
  if (found.size() > *filter.earliest_timers) found.resize(*filter.earliest_timers);
  return found;
}

std::vector<core::Signal> MemoryTransaction::list_signals(const core::RunId& run,
                                                          const SignalFilter& filter) {
  std::vector<core::Signal> found;
  for (const auto& [sequence, signal] : state_.runs.at(run).signals) {
    const bool matches = filter.idempotency_key ? signal.idempotency_key == filter.idempotency_key
                                                : signal.name == filter.unread_name && !signal.consumed_by;
    if (matches && found.size() < filter.limit) found.push_back(signal);
  }
  return found;
}

void MemoryTransaction::check_runs(const WriteSet& writes) const {
  for (const RunWrite& write : writes.runs) {
    const RunRow* row = row_of(state_, write.run->facts.id);
    if ((row == nullptr ? 0 : row->run.sequence) != write.sequence_before)
      throw StoreError{StoreError::Kind::retry, "a run changed since it was loaded"};
  }
  for (const RunAt& seen : writes.depends_on.runs) {
    const RunRow* row = row_of(state_, seen.run);
    if (row == nullptr || row->run.sequence != seen.sequence)
      throw StoreError{StoreError::Kind::retry, "a run has changed since it was cached"};
  }
  for (const RunKeyWrite& write : writes.run_keys) {
    const auto stored = state_.run_keys.find(write.ref);
    const auto named = stored == state_.run_keys.end() ? std::nullopt : std::optional{stored->second};
    if (named != write.instead_of)
      throw StoreError{StoreError::Kind::retry, "another group has inserted the run key"};
  }
}

void MemoryTransaction::write_runs(const WriteSet& writes) {
  for (const RunWrite& write : writes.runs) {
    const core::RunId& id = write.run->facts.id;
    RunRow& row = state_.runs[id];
    move_in(state_.deadlines, id, deadline_of(row.run), deadline_of(*write.run));
    row.run = *write.run;
    for (const core::Node* node : write.nodes) {
      core::Node& stored = row.nodes[node->key];
      move_in(state_.timers, NodeRef{.run = id, .key = node->key}, stored.timer_at, node->timer_at);
      stored = *node;
    }
    for (const core::Signal* signal : write.signals) row.signals[signal->sequence] = *signal;
    for (const RunWrite::Event& event : write.events) {
      row.events.push_back({.event = *event.event, .payload = event.payload, .hash = event.hash});
      row.hash = event.hash;
    }
  }
  for (const RunKeyWrite& write : writes.run_keys) state_.run_keys[write.ref] = write.run;
}

}  // namespace pawl::store::memory
