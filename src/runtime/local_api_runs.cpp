// LocalApi's calls on runs and their events.

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/base/cursor.hpp"
#include "engine/run_check.hpp"
#include "runtime/guarded.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::Result;
using core::RunState;

namespace {

// How often a waiting call polls, since other nodes do not notify it.
constexpr core::Duration kLookAgain = std::chrono::milliseconds{250};

core::Problem no_such_run(const core::RunId& id) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no run " + to_string(id)};
}

core::Status check_run_query(const core::RunQuery& query) {
  if (const core::Status ns = core::check_namespace(query.ns); !ns) return ns;
  if (query.workflow) {
    if (const core::Status name = core::check_name("workflow", *query.workflow); !name) return name;
  }
  if (query.label) {
    const auto& [name, value] = *query.label;
    if (const core::Status label = core::check_name("label", name); !label) return label;
    if (const core::Status label = core::check_key("label", value); !value.empty() && !label) return label;
  }
  return query.run_key ? core::check_key("run_key", *query.run_key) : core::Status{core::Done{}};
}

// All nodes: those that were never stored have the initial state of the definition.
std::vector<core::Node> all_nodes(std::vector<core::Node> stored, const core::Graph* graph) {
  if (graph == nullptr) return stored;
  std::vector<bool> is_stored(graph->size(), false);
  for (const core::Node& node : stored) {
    if (node.key.item == core::kNoItem && node.key.index < graph->size()) is_stored[node.key.index] = true;
  }
  for (core::NodeIndex index = 0; index < graph->size(); ++index) {
    if (!is_stored[index]) stored.push_back(core::first_node(*graph, {.index = index}));
  }
  std::sort(stored.begin(), stored.end(),
            [](const core::Node& a, const core::Node& b) { return a.key < b.key; });
  return stored;
}

}  // namespace

Result<store::StoredRun> LocalApi::read_run(const core::RunRef& ref, store::RunParts parts) {
  if (const core::Status valid = core::check_namespace(ref.ns); !valid) return valid.problem();
  return with_promised(ref.id, [&] { return find_run(ref, parts); });
}

Result<store::StoredRun> LocalApi::find_run(const core::RunRef& ref, store::RunParts parts) {
  return guarded([&]() -> Result<store::StoredRun> {
    auto stored = store_.find_run(ref.id, parts);
    if (!stored || stored->run.facts.ns != ref.ns) return no_such_run(ref.id);
    return std::move(*stored);
  });
}

Result<engine::SharedPlan> LocalApi::plan_of(const core::Run& run) {
  if (run.facts.version == 0) return engine::SharedPlan{};
  return guarded([&]() -> Result<engine::SharedPlan> {
    auto plan = shared_->plans.find(run.facts.ns, run.facts.workflow, run.facts.version,
                                    {.life = store_.life(), .record = [this](const core::RecordRef& ref) {
                                       return store_.find_record(ref);
                                     }});
    if (plan == nullptr) {
      return core::Problem{.code = core::ProblemCode::internal,
                           .detail = fmt::format("run {} has no definition", to_string(run.facts.id))};
    }
    return plan;
  });
}

template <typename Command>
Result<core::RunStarted> LocalApi::call_on_run(const std::string& ns, Command command) {
  auto answer = call_for<core::RunStarted>(std::move(command));
  if (!answer || !(is_replayed_ || answer->is_promised)) return answer;
  auto run = get_run({.ns = ns, .id = answer->run.facts.id});  // those contain only the id
  if (!run) return run.problem();
  answer->run = std::move(*run);
  answer->is_promised = false;
  return answer;
}

core::Status LocalApi::admit(const core::StartRun& command) {
  return admit_json(command.ns, "input", command.input);
}

bool LocalApi::is_at_hand(const core::StartRun& command) {
  return !core::check_namespace(command.ns) ||
         shared_->records.find_at_hand(core::namespace_ref(command.ns)).has_value();
}

Result<core::RunStarted> LocalApi::start_run(const core::StartRun& request) {
  if (const core::Status fits = admit(request); !fits) return fits.problem();
  return start_admitted(request);
}

Result<core::RunStarted> LocalApi::start_admitted(const core::StartRun& request) {
  return call_on_run(request.ns, request);
}

Result<core::RunStarted> LocalApi::open_run(const core::OpenRun& request) {
  if (const core::Status fits = admit_json(request.ns, "input", request.input); !fits) return fits.problem();
  return call_on_run(request.ns, request);
}

Result<core::Run> LocalApi::act_on_run(const core::ActOnRun& request) {
  auto answer = with_promised(request.run.id, [&] { return call_on_run(request.run.ns, request); });
  if (!answer) return answer.problem();
  return std::move(answer->run);
}

Result<core::Run> LocalApi::rewind_run(const core::RewindRun& request) {
  auto answer = with_promised(request.run.id, [&] { return call_on_run(request.run.ns, request); });
  if (!answer) return answer.problem();
  return std::move(answer->run);
}

Result<core::Run> LocalApi::signal_run(const core::SignalRun& request) {
  const core::Status fits = admit_json(request.run.ns, "payload", request.signal.payload);
  if (!fits) return fits.problem();
  auto answer = with_promised(request.run.id, [&] { return call_on_run(request.run.ns, request); });
  if (!answer) return answer.problem();
  return std::move(answer->run);
}

Result<core::Run> LocalApi::get_run(const core::RunRef& ref) {
  auto stored = read_run(ref, {.claims = true});
  if (!stored) return stored.problem();
  return std::move(stored->run);
}

Result<core::RunView> LocalApi::view_run(const core::RunRef& ref) {
  auto stored = read_run(ref, {.nodes = true, .claims = true});
  if (!stored) return stored.problem();
  const auto plan = plan_of(stored->run);
  if (!plan) return plan.problem();
  core::RunView view{.run = std::move(stored->run)};
  if (*plan) view.definition = (*plan)->definition;
  view.nodes = all_nodes(std::move(stored->nodes), *plan ? &(*plan)->graph : nullptr);
  return view;
}

Result<core::Page<core::Run>> LocalApi::list_runs(const core::ListRuns& list) {
  if (const core::Status valid = check_run_query(list.query); !valid) return valid.problem();
  if (const core::Status valid = check_limit(list.limit); !valid) return valid.problem();
  const auto after = core::run_from_cursor(list.cursor);
  if (!after) return after.problem();
  return guarded([&]() -> Result<core::Page<core::Run>> {
    const auto limit = static_cast<std::size_t>(list.limit);
    core::Page<core::Run> page{.items = store_.list_runs({.query = list.query,
                                                          .newest_first = list.newest_first,
                                                          .after = *after,
                                                          .limit = limit + 1,
                                                          .with_claims = true})};
    if (page.items.size() > limit) {
      page.items.pop_back();
      page.next_cursor = core::cursor_after(page.items.back().facts.id);
    }
    return page;
  });
}

Result<core::Run> LocalApi::await_run(const core::RunRef& ref, core::Duration wait) {
  struct News {
    std::mutex mutex;
    std::condition_variable came;
    std::optional<core::Run> ended;
  };
  const core::MonotonicTime until = clock_.monotonic() + wait;
  auto news = std::make_shared<News>();  // shared with the watch, which may call `tell` after the end
  const auto tell = [news](const core::Run& ended) {
    const std::lock_guard lock{news->mutex};
    news->ended = ended;
    news->came.notify_all();
  };
  const std::uint64_t watcher =
      watch_ == nullptr ? 0 : watch_->watch(ref.id, engine::RunWatch::Of::its_end, tell);
  Result<core::Run> run = get_run(ref);
  while (run && !core::is_closed(run->state)) {
    const core::Duration left = until - clock_.monotonic();
    if (left <= core::Duration{0}) break;
    {
      std::unique_lock lock{news->mutex};
      news->came.wait_for(lock, std::min(left, kLookAgain), [&] { return news->ended.has_value(); });
      // The run may have been retried since a late notification.
      const auto ended = std::exchange(news->ended, std::nullopt);
      if (ended && ended->sequence >= run->sequence) run = *ended;
    }
    if (!core::is_closed(run->state)) run = get_run(ref);
  }
  if (watch_ != nullptr) watch_->unwatch(watcher);
  return run;
}

Result<std::vector<core::RunId>> LocalApi::list_all(store::RunPage page, std::size_t limit) {
  return guarded([&]() -> Result<std::vector<core::RunId>> {
    std::vector<core::RunId> all;
    while (all.size() < limit) {
      page.limit = std::min<std::size_t>(core::kPageMax, limit - all.size());
      const auto runs = store_.list_runs(page);
      if (runs.empty()) break;
      page.after = runs.back().facts.id;
      for (const core::Run& run : runs) all.push_back(run.facts.id);
    }
    return all;
  });
}

// Finds all runs before it changes the first: a change of one run may change which others match. Then each
// run is a command of its own: a bulk change delays others only briefly, and a refusal does not affect the
// rest.
Result<core::BulkResult> LocalApi::act_on_runs(const core::BulkRuns& bulk) {
  if (const core::Status valid = check_run_query(bulk.query); !valid) return valid.problem();
  if (bulk.limit < 1 || bulk.limit > core::kBulkTasksMax)
    return core::invalid_field("limit",
                               fmt::format("must be from 1 to {}, not {}", core::kBulkTasksMax, bulk.limit));
  store::RunPage page{.query = bulk.query, .newest_first = false};
  if (page.query.states.empty()) {
    page.query.states = bulk.action == core::RunAction::retry
                            ? std::vector{RunState::failed}
                            : std::vector{RunState::running, RunState::sleeping, RunState::paused};
  }
  const auto ids = list_all(std::move(page), static_cast<std::size_t>(bulk.limit));
  if (!ids) return ids.problem();
  core::BulkResult result{.matched = static_cast<int>(ids->size())};
  if (bulk.dry_run) return result;
  for (const core::RunId& id : *ids) {
    const auto changed = act_on_run({.run = {.ns = bulk.query.ns, .id = id},
                                     .asked = {.action = bulk.action, .reason = bulk.reason},
                                     .by = bulk.by});
    result.changed += changed ? 1 : 0;
  }
  return result;
}

Result<std::vector<core::RunEvent>> LocalApi::list_run_events(const core::ListRunEvents& list) {
  if (const core::Status valid = check_limit(list.limit); !valid) return valid.problem();
  const auto run = read_run(list.run, {});
  if (!run) return run.problem();
  return guarded([&]() -> Result<std::vector<core::RunEvent>> {
    std::vector<core::RunEvent> events;
    for (store::StoredEvent& stored :
         store_.list_run_events(list.run.id, list.after, static_cast<std::size_t>(list.limit)))
      events.push_back(std::move(stored.event));
    return events;
  });
}

Result<core::RunReplay> LocalApi::replay_run(const core::RunRef& ref, std::optional<std::int64_t> up_to) {
  auto stored = read_run(ref, {.nodes = true, .signals = true, .events = true, .claims = true});
  if (!stored) return stored.problem();
  const std::int64_t claimed = std::exchange(stored->run.claimed, 0);  // the log does not contain it
  const auto plan = plan_of(stored->run);
  if (!plan) return plan.problem();
  const core::RunPlan view = *plan ? (*plan)->view() : core::RunPlan{};
  core::RunReplay replay;
  if (*plan) replay.rebuilt.definition = (*plan)->definition;
  core::ReplayedRun rebuilt;
  if (up_to && *up_to < stored->run.sequence) {
    std::erase_if(stored->events, [&](const auto& event) { return event.event.sequence > *up_to; });
    auto past = engine::rebuild(stored->events, view);
    if (past) {
      rebuilt = std::move(*past);
    } else {
      replay.differences.push_back(past.problem());
    }
  } else {
    engine::RunFindings findings = engine::look_at_run(*stored, view);
    rebuilt = std::move(findings.rebuilt);
    rebuilt.run.claimed = claimed;
    for (auto* found : {&findings.gaps, &findings.chain, &findings.replay})
      replay.differences.insert(replay.differences.end(), found->begin(), found->end());
  }
  replay.rebuilt.run = std::move(rebuilt.run);
  replay.rebuilt.nodes = all_nodes(std::move(rebuilt.nodes), view.graph);
  return replay;
}

}  // namespace pawl::runtime
