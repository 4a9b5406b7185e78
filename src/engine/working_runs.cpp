#include "engine/working_runs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"
#include "core/records/inbox.hpp"
#include "core/records/worker.hpp"
#include "engine/sort_distinct.hpp"

namespace pawl::engine {

namespace {

// Single node reads of a run before it reads all its nodes.
constexpr int kSingleReadsMax = 8;
// The cache keeps all nodes of a code run up to this number: a new step then needs no read to see that it is
// new. Of a longer run it keeps the nodes that have not ended and those that changed last.
constexpr std::size_t kKeptNodesMax = 100;
constexpr std::size_t kKeptLiveNodesMax = 1'000;

}  // namespace

std::optional<core::Node> WorkingRuns::Source::node(core::NodeKey key) {
  if (kind_ != core::RunKind::code && !knows(key) && ++reads_ > kSingleReadsMax) read_all();
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (has_all_) return std::nullopt;
  const store::NodeRef ref{.run = run_, .key = key};
  auto found = tx_.load_nodes({&ref, 1});
  keep(key, found.front());
  return found.front();
}

void WorkingRuns::Source::read_all() {
  if (has_all_) return;
  for (core::Node& node : tx_.list_nodes(run_, {})) known_.insert_or_assign(node.key, std::move(node));
  has_all_ = true;
}

std::vector<core::Node> WorkingRuns::Source::nodes() {
  read_all();
  std::vector<core::Node> all;
  for (const auto& [key, node] : known_) {
    if (node) all.push_back(*node);
  }
  return all;
}

std::vector<core::Node> WorkingRuns::Source::items(core::NodeIndex index) {
  return tx_.list_nodes(run_, {.items_of = index});
}

std::vector<core::Node> WorkingRuns::Source::earliest_timers(std::size_t count) {
  return tx_.list_nodes(run_, {.earliest_timers = count});
}

std::optional<core::Node> WorkingRuns::Source::node_of(const core::TaskId& task) {
  const auto found = tx_.list_run_tasks(run_, &task);
  return found.empty() ? std::nullopt : node(found.front().node);
}

std::vector<core::Signal> WorkingRuns::Source::unread_signals(const std::string& name, std::size_t count) {
  return tx_.list_signals(run_, {.unread_name = name, .limit = count});
}

bool WorkingRuns::Source::has_signal(const std::string& idempotency_key) {
  return !tx_.list_signals(run_, {.idempotency_key = idempotency_key}).empty();
}

Plans::Read WorkingRuns::reader() {
  return {.life = tx_.life(), .record = [this](const core::RecordRef& ref) { return peek(ref); }};
}

const std::optional<core::Record>& WorkingRuns::peek(const core::RecordRef& ref) {
  if (const auto known = peeked_.find(ref); known != peeked_.end()) return known->second;
  auto found = tx_.load({.records = {&ref, 1}}).records;
  return peeked_.emplace(ref, std::move(found.front())).first->second;
}

bool WorkingRuns::is_code(const std::string& ns, const std::string& workflow) {
  return peek(core::code_workflow_ref(ns, workflow)).has_value();
}

bool WorkingRuns::is_promised(const core::RunId& id) {
  return peek(core::inbox_ref(to_string(id))).has_value();
}

std::optional<core::RawJson> WorkingRuns::input_of(const core::RunId& id) {
  if (const core::WorkingRun* run = here(id)) return run->run().facts.input;
  const store::PeekRun page{.id = id, .page = {.nodes = 1}};  // not locked: an input never changes
  auto stored = tx_.peek_runs({&page, 1});
  if (!stored.front() || !stored.front()->misfit.empty()) return std::nullopt;
  return std::move(stored.front()->run.facts.input);
}

SharedPlan WorkingRuns::latest_plan(const std::string& ns, const std::string& workflow) {
  return plans_.latest(ns, workflow, reader());
}

SharedPlan WorkingRuns::find_plan(const std::string& ns, const std::string& workflow, int version) {
  return plans_.find(ns, workflow, version, reader());
}

void WorkingRuns::lock(std::vector<core::RunId> ids) {
  std::erase_if(ids, [this](const core::RunId& id) { return runs_.contains(id) || has_cached(id); });
  if (ids.empty()) return;
  sort_distinct(ids);
  for (auto& stored : tx_.lock_runs(ids)) {
    if (stored) add_stored(std::move(*stored));
  }
}

bool WorkingRuns::has_cached(const core::RunId& id) {
  auto kept = cache_.take(id, tx_.life());
  if (!kept) return false;
  auto source = std::make_unique<Source>(tx_, id, core::RunKind::code);
  kept->working->stand_on(source.get());
  const std::int64_t sequence = kept->working->run().sequence;
  runs_.emplace(id, Entry{.plan = nullptr,
                          .source = std::move(source),
                          .working = std::move(kept->working),
                          .sequence_before = sequence,
                          .hash_before = std::move(kept->hash),
                          .row = kept->row,
                          .is_guess = true,
                          .had_signals = kept->had_signals});
  return true;
}

void WorkingRuns::lock_of_bodies(const std::vector<core::RunId>& ids) {
  std::vector<core::RunId> unknown = ids;
  std::erase_if(unknown, [this](const core::RunId& id) { return runs_.contains(id) || has_cached(id); });
  lock(unknown);
  for (const core::RunId& id : unknown) {
    const auto found = runs_.find(id);
    if (found == runs_.end() || found->second.working->run().facts.kind != core::RunKind::code) continue;
    Entry& entry = found->second;
    const core::RunCounts& counts = entry.working->run().counts;
    if (static_cast<std::size_t>(counts.live() + counts.completed + counts.failed) > kKeptNodesMax) continue;
    (void)entry.working->all_keys();
  }
}

void WorkingRuns::confirm_guesses() {
  std::vector<core::RunId> ids;
  for (const auto& [id, entry] : runs_) {
    if (entry.is_guess && entry.events.empty()) ids.push_back(id);
  }
  if (ids.empty() || core::planted(core::Canary::cached_run_not_confirmed)) return;
  sort_distinct(ids);
  const auto stored = tx_.lock_runs(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_so = stored[i] && stored[i]->run.sequence == runs_.at(ids[i]).sequence_before;
    if (!is_so)
      throw store::StoreError{store::StoreError::Kind::retry, "another node has changed the run meanwhile"};
  }
}

void WorkingRuns::keep_in_cache(const store::WriteSet& writes) {
  for (auto& [id, kept] : seen_) cache_.keep(id, std::move(kept));
  for (const store::RunWrite& write : writes.runs) {
    Entry& entry = runs_.at(write.run->facts.id);
    entry.sequence_before = write.run->sequence;
    entry.hash_before = write.events.back().hash;
    if (write.may_omit.row) continue;
    entry.row = core::mark_of(*write.run);
    entry.row.is_bare = write.may_omit.nodes;
    if (!write.may_omit.nodes) entry.working->settle();
  }
  for (auto& [id, entry] : runs_) keep_in_cache(id, entry);
}

void WorkingRuns::keep_in_cache(const core::RunId& id, Entry& entry) {
  const core::Run& run = entry.working->run();
  // A refused decision may have applied events that are not stored.
  const bool is_stored = run.sequence == entry.sequence_before && run.sequence > 0;
  const bool is_wanted = run.facts.kind == core::RunKind::code && !core::is_closed(run.state);
  if (!is_stored || !is_wanted) return cache_.drop(id);
  const bool has_signal = std::any_of(entry.events.begin(), entry.events.end(), [](const auto& event) {
    return event.type == core::RunEventType::signal_received;
  });
  entry.working->stand_on(nullptr);
  entry.working->evict_stored({.slack = kKeptNodesMax, .live_max = kKeptLiveNodesMax});
  cache_.keep(id, {.working = std::move(entry.working),
                   .hash = std::move(entry.hash_before),
                   .row = entry.row,
                   .had_signals = entry.had_signals || has_signal,
                   .life = tx_.life()});
}

void WorkingRuns::visit_cached(std::vector<core::RunId>& ids,
                               const std::function<void(const core::RunId&, core::WorkingRun&)>& visit) {
  std::erase_if(ids, [&](const core::RunId& id) {
    if (runs_.contains(id)) return false;
    auto kept = cache_.take(id, tx_.life());
    if (!kept) return false;
    if (kept->had_signals || !kept->working->has_all_nodes()) {
      cache_.keep(id, std::move(*kept));
      return false;
    }
    visit(id, *kept->working);
    seen_.emplace_back(id, std::move(*kept));
    return true;
  });
}

void WorkingRuns::add_stored(store::StoredRun stored) {
  const core::RunFacts& facts = stored.run.facts;
  if (!stored.misfit.empty()) {
    throw store::StoreError{
        store::StoreError::Kind::internal,
        fmt::format("the events of run {} do not match its row: {}", to_string(facts.id), stored.misfit)};
  }
  SharedPlan plan;
  if (facts.version > 0) {
    plan = find_plan(facts.ns, facts.workflow, facts.version);
    if (plan == nullptr) {
      throw store::StoreError{store::StoreError::Kind::internal,
                              fmt::format("run {} has no definition", to_string(facts.id))};
    }
  }
  const core::RunId id = facts.id;
  auto source = std::make_unique<Source>(tx_, id, facts.kind);
  const std::int64_t sequence = stored.run.sequence;
  auto working = std::make_unique<core::WorkingRun>(plan ? plan->view() : core::RunPlan{},
                                                    std::move(stored.run), source.get());
  for (core::Node& node : stored.ahead) working->add(std::move(node));
  runs_.emplace(id, Entry{.plan = std::move(plan),
                          .source = std::move(source),
                          .working = std::move(working),
                          .sequence_before = sequence,
                          .hash_before = std::move(stored.hash),
                          .row = stored.row});
}

void WorkingRuns::want_with_followers(const store::NodeRef& ref, std::vector<store::NodeRef>& wanted) const {
  const auto entry = runs_.find(ref.run);
  if (entry == runs_.end()) return;
  const auto want = [&](core::NodeKey key) {
    if (!entry->second.working->is_here(key) && !entry->second.source->knows(key))
      wanted.push_back({.run = ref.run, .key = key});
  };
  want(ref.key);
  if (ref.key.item != core::kNoItem) want({.index = ref.key.index});
  const SharedPlan& plan = entry->second.plan;
  if (plan == nullptr || ref.key.index >= plan->graph.size()) return;
  for (const core::NodeIndex next : plan->graph.successors(ref.key.index)) {
    want({.index = next});
    // A successor with no other predecessor starts when this node ends, and reads the sources of its input.
    // The sources of a join are not prefetched: each of its predecessors would read them again.
    if (plan->graph.predecessors(next).size() > 1) continue;
    for (const core::NodeIndex source : plan->sources[next]) want({.index = source});
  }
}

void WorkingRuns::prefetch(const std::vector<store::NodeRef>& nodes) {
  std::vector<store::NodeRef> wanted;
  for (const store::NodeRef& ref : nodes) want_with_followers(ref, wanted);
  if (wanted.empty()) return;
  sort_distinct(wanted);
  auto found = tx_.load_nodes(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    runs_.at(wanted[i].run).source->keep(wanted[i].key, std::move(found[i]));
}

void WorkingRuns::load_keys(std::vector<store::RunKeyRef> refs) {
  if (refs.empty()) return;
  sort_distinct(refs);
  const auto found = tx_.load({.run_keys = refs}).run_keys;
  std::vector<core::RunId> named;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    keys_.emplace(refs[i], Key{.before = found[i], .now = found[i]});
    if (found[i]) named.push_back(*found[i]);
  }
  lock(std::move(named));
}

core::WorkingRun* WorkingRuns::find(const core::RunId& id) {
  if (core::WorkingRun* working = here(id)) return working;
  lock({id});
  return here(id);
}

core::WorkingRun* WorkingRuns::here(const core::RunId& id) {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : found->second.working.get();
}

bool WorkingRuns::is_new(const core::RunId& id) const {
  const auto found = runs_.find(id);
  return found != runs_.end() && found->second.sequence_before == 0;
}

core::WorkingRun* WorkingRuns::find(const std::string& ns, const core::RunId& id) {
  core::WorkingRun* working = find(id);
  return working != nullptr && working->run().facts.ns == ns ? working : nullptr;
}

core::WorkingRun& WorkingRuns::add_new(const core::RunId& id, SharedPlan plan) {
  const core::RunPlan view = plan ? plan->view() : core::RunPlan{};
  return *runs_
              .emplace(id, Entry{.plan = std::move(plan),
                                 .source = nullptr,
                                 .working = std::make_unique<core::WorkingRun>(view),
                                 .had_signals = false})
              .first->second.working;
}

void WorkingRuns::note(const core::RunId& id, std::vector<core::RunEvent> events) {
  std::vector<core::RunEvent>& noted = runs_.at(id).events;
  if (noted.empty()) {
    noted = std::move(events);
  } else {
    std::move(events.begin(), events.end(), std::back_inserter(noted));
  }
}

SharedPlan WorkingRuns::plan_of(const core::RunId& id) const { return runs_.at(id).plan; }

std::optional<core::RunId> WorkingRuns::run_of(const store::RunKeyRef& ref) const {
  const auto found = keys_.find(ref);
  return found == keys_.end() ? std::nullopt : found->second.now;
}

void WorkingRuns::give_key(const store::RunKeyRef& ref, const core::RunId& run) { keys_[ref].now = run; }

std::optional<core::TimePoint> WorkingRuns::earliest_due() const {
  std::optional<core::TimePoint> earliest;
  const auto note = [&earliest](const std::optional<core::TimePoint>& time) {
    if (time) earliest = std::min(earliest.value_or(*time), *time);
  };
  const auto sets_timer = [](const core::RunEvent& event) {
    return event.type == core::RunEventType::timer_set;
  };
  for (const auto& [id, entry] : runs_) {
    if (entry.events.empty()) continue;
    if (std::any_of(entry.events.begin(), entry.events.end(), sets_timer))
      note(entry.working->earliest_changed_timer());
    if (entry.sequence_before == 0) note(entry.working->run().deadline_at);
  }
  return earliest;
}

std::vector<const core::Run*> WorkingRuns::changed() const {
  std::vector<const core::Run*> runs;
  for (const auto& [id, entry] : runs_) {
    if (!entry.events.empty()) runs.push_back(&entry.working->run());
  }
  return runs;
}

std::vector<RunStepChange> WorkingRuns::step_changes(
    const std::function<bool(const core::RunId&)>& is_wanted) const {
  std::vector<RunStepChange> changes;
  for (const auto& [id, entry] : runs_) {
    if (entry.events.empty() || !is_wanted(id)) continue;
    const core::Run& run = entry.working->run();
    RunStepChange& change = changes.emplace_back(RunStepChange{
        .run = id, .stop = core::stop_reason_of(run), .is_paused = run.state == core::RunState::paused});
    for (const core::RunEvent& event : entry.events) {
      const core::Node* node = event.data.node ? entry.working->find(*event.data.node) : nullptr;
      if (node != nullptr && node->key != core::kBodyKey && core::has_ended(node->state))
        change.ended.push_back(core::memo_of(*node));
    }
  }
  return changes;
}

void WorkingRuns::add_to(store::WriteSet& writes) {
  for (auto& [id, entry] : runs_) {
    if (entry.events.empty()) continue;
    store::RunWrite write{.sequence_before = entry.sequence_before,
                          .row_sequence = entry.row.sequence,
                          .may_omit = {.row = core::may_lag(entry.row, *entry.working, entry.events),
                                       .nodes = core::may_be_bare(entry.row, *entry.working)},
                          .run = &entry.working->run(),
                          .nodes = entry.working->changed_nodes(),
                          .signals = entry.working->changed_signals()};
    const std::string* hash = &entry.hash_before;
    write.events.reserve(entry.events.size());
    for (const core::RunEvent& event : entry.events) {
      core::RawJson payload = core::payload_of(event.data);
      std::string own = core::event_hash(*hash, id, event, payload);
      hash = &write.events
                  .emplace_back(store::RunWrite::Event{
                      .event = &event, .payload = std::move(payload), .hash = std::move(own)})
                  .hash;
    }
    writes.runs.push_back(std::move(write));
  }
  for (const auto& [id, kept] : seen_)
    writes.depends_on.runs.push_back({.run = id, .sequence = kept.working->run().sequence});
  for (const auto& [ref, key] : keys_) {
    if (key.now != key.before)
      writes.run_keys.push_back({.ref = ref, .run = *key.now, .instead_of = key.before});
  }
}

}  // namespace pawl::engine
