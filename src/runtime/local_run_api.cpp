#include "runtime/local_run_api.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/base/cursor.hpp"
#include "core/base/limits.hpp"
#include "core/definition/definition.hpp"
#include "engine/run_check.hpp"
#include "runtime/guarded.hpp"

namespace pawl::runtime {

using core::Result;
using core::RunState;

namespace {

// How often a waiting call polls, since other nodes do not notify it.
constexpr core::Duration kPollInterval = std::chrono::milliseconds{250};

core::Status check_definition_name(const std::string& ns, const std::string& name) {
  return core::first_of({core::check_namespace(ns), core::check_name("name", name)});
}

core::Problem no_such_workflow(const std::string& name, std::optional<int> version) {
  return {.code = core::ProblemCode::not_found,
          .detail = fmt::format("there is no workflow {}{}", name,
                                version ? fmt::format(" version {}", *version) : "")};
}

}  // namespace

// Definitions

// The number of the next version is known only after the latest version was read. If another version is
// stored in between, reads it again.
Result<core::DefinitionPut> LocalRunApi::put_definition(const core::PutDefinition& request) {
  if (const core::Status valid = check_definition_name(request.ns, request.name); !valid)
    return valid.problem();
  auto definition = core::parse_definition(request.text, request.name);
  if (!definition) return definition.problem();
  core::KeepDefinition keep{.request = request, .definition = std::move(*definition)};
  keep.request.text.clear();
  const core::RecordRef latest_ref = core::definition_ref(request.ns, request.name);
  const std::string hash = core::definition_hash(keep.definition);
  while (true) {
    const auto latest = records_.find(latest_ref);
    if (!latest) return latest.problem();
    keep.next = latest->record ? core::definition_version_from(*latest->record).version + 1 : 1;
    const auto answer =
        records_.change({.refs = {latest_ref, core::definition_ref(request.ns, request.name, keep.next)},
                         .decide = [keep](core::FoundRecords found, core::TimePoint now) {
                           return core::decide_keep(keep, found, now);
                         }});
    if (!answer) return answer.problem();
    core::DefinitionVersion stored = core::definition_version_from(answer->body);
    if (stored.hash != hash) continue;
    return core::DefinitionPut{.created = answer->has_changed, .version = std::move(stored)};
  }
}

Result<core::DefinitionVersion> LocalRunApi::get_definition(const std::string& ns, const std::string& name,
                                                            std::optional<int> version) {
  if (const core::Status valid = check_definition_name(ns, name); !valid) return valid.problem();
  return guarded([&]() -> Result<core::DefinitionVersion> {
    const auto record = store_.find_record(version ? core::definition_ref(ns, name, *version)
                                                   : core::definition_ref(ns, name));
    if (!record) return no_such_workflow(name, version);
    return core::definition_version_from(*record);
  });
}

Result<core::Page<core::DefinitionVersion>> LocalRunApi::list_definitions(const core::ListRecords& list) {
  const auto found = records_.list(core::RecordKind::definition, list.ns, list);
  if (!found) return found.problem();
  core::Page<core::DefinitionVersion> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records)
    page.items.push_back(core::definition_version_from(record));
  return page;
}

// Runs

template <typename Command>
Result<core::RunStarted> LocalRunApi::call_on_run(const std::string& ns, Command command) {
  auto answer = caller_.call_for<core::RunStarted>(std::move(command));
  if (!answer || !(caller_.is_replayed() || answer->is_promised)) return answer;
  auto run = get_run({.ns = ns, .id = answer->run.facts.id});  // those contain only the id
  if (!run) return run.problem();
  answer->run = std::move(*run);
  answer->is_promised = false;
  return answer;
}

Result<core::RunStarted> LocalRunApi::start_run(const core::StartRun& request) {
  if (const core::Status fits = admission_.admit(request); !fits) return fits.problem();
  return start_admitted(request);
}

Result<core::RunStarted> LocalRunApi::start_admitted(const core::StartRun& request) {
  return call_on_run(request.ns, request);
}

Result<core::RunStarted> LocalRunApi::open_run(const core::OpenRun& request) {
  if (const core::Status fits = admission_.admit_json(request.ns, "input", request.input); !fits)
    return fits.problem();
  return call_on_run(request.ns, request);
}

Result<core::Run> LocalRunApi::act_on_run(const core::ActOnRun& request) {
  auto answer = promised_.with_promised(request.run.id, [&] { return call_on_run(request.run.ns, request); });
  if (!answer) return answer.problem();
  return std::move(answer->run);
}

Result<core::Run> LocalRunApi::rewind_run(const core::RewindRun& request) {
  auto answer = promised_.with_promised(request.run.id, [&] { return call_on_run(request.run.ns, request); });
  if (!answer) return answer.problem();
  return std::move(answer->run);
}

Result<core::Run> LocalRunApi::signal_run(const core::SignalRun& request) {
  const core::Status fits = admission_.admit_json(request.run.ns, "payload", request.signal.payload);
  if (!fits) return fits.problem();
  auto answer = promised_.with_promised(request.run.id, [&] { return call_on_run(request.run.ns, request); });
  if (!answer) return answer.problem();
  return std::move(answer->run);
}

Result<core::Run> LocalRunApi::get_run(const core::RunRef& ref) {
  auto stored = runs_.read(ref, {.claims = true});
  if (!stored) return stored.problem();
  return std::move(stored->run);
}

Result<core::RunView> LocalRunApi::view_run(const core::RunRef& ref) {
  auto stored = runs_.read(ref, {.nodes = true, .claims = true});
  if (!stored) return stored.problem();
  const auto plan = runs_.plan_of(stored->run);
  if (!plan) return plan.problem();
  core::RunView view{.run = std::move(stored->run)};
  if (*plan) view.definition = (*plan)->definition;
  view.nodes = all_nodes(std::move(stored->nodes), *plan ? &(*plan)->graph : nullptr);
  return view;
}

Result<core::Page<core::Run>> LocalRunApi::list_runs(const core::ListRuns& list) {
  if (const core::Status valid = check_run_query(list.query); !valid) return valid.problem();
  if (const core::Status valid = core::check_page_limit(list.limit); !valid) return valid.problem();
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

Result<core::Run> LocalRunApi::await_run(const core::RunRef& ref, core::Duration wait) {
  struct Ending {
    std::mutex mutex;
    std::condition_variable arrived;
    std::optional<core::Run> ended;
  };
  const core::MonotonicTime until = clock_.monotonic() + wait;
  auto ending = std::make_shared<Ending>();  // shared with the watch, which may call `notify` after the end
  const auto notify = [ending](const core::Run& ended) {
    const std::lock_guard lock{ending->mutex};
    ending->ended = ended;
    ending->arrived.notify_all();
  };
  const std::uint64_t watcher =
      subscriptions_.watch == nullptr
          ? 0
          : subscriptions_.watch->watch(ref.id, engine::RunWatch::Of::its_end, notify);
  Result<core::Run> run = get_run(ref);
  while (run && !core::is_closed(run->state)) {
    const core::Duration remaining = until - clock_.monotonic();
    if (remaining <= core::Duration{0}) break;
    {
      std::unique_lock lock{ending->mutex};
      ending->arrived.wait_for(lock, std::min(remaining, kPollInterval),
                               [&] { return ending->ended.has_value(); });
      // The run may have been retried since a late notification.
      const auto ended = std::exchange(ending->ended, std::nullopt);
      if (ended && ended->sequence >= run->sequence) run = *ended;
    }
    if (!core::is_closed(run->state)) run = get_run(ref);
  }
  if (subscriptions_.watch != nullptr) subscriptions_.watch->unwatch(watcher);
  return run;
}

// Finds all runs before it changes the first: a change of one run may change which others match. Then each
// run is a command of its own: a bulk change delays others only briefly, and a refusal does not affect the
// rest.
Result<core::BulkResult> LocalRunApi::act_on_runs(const core::BulkRuns& bulk) {
  if (const core::Status valid = check_run_query(bulk.query); !valid) return valid.problem();
  if (const core::Status valid = core::check_bulk_limit(bulk.limit); !valid) return valid.problem();
  store::RunPage page{.query = bulk.query, .newest_first = false};
  if (page.query.states.empty()) {
    page.query.states = bulk.action == core::RunAction::retry
                            ? std::vector{RunState::failed}
                            : std::vector{RunState::running, RunState::sleeping, RunState::paused};
  }
  const auto ids = runs_.list_ids(std::move(page), static_cast<std::size_t>(bulk.limit));
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

// Steps

Result<core::StepsWritten> LocalRunApi::write_steps(core::WriteSteps command) {
  if (const core::Status admitted = admission_.admit(command); !admitted) return admitted.problem();
  return caller_.call_for<core::StepsWritten>(std::move(command));
}

Result<std::vector<Result<core::StepsWritten>>> LocalRunApi::write_steps_of_many(
    core::WriteStepsOfMany command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  const std::vector<core::Status> admitted = admission_.admit(command);
  std::vector<Result<core::StepsWritten>> results;
  if (!command.writes.empty()) {
    auto written = caller_.call_for<std::vector<Result<core::StepsWritten>>>(std::move(command));
    if (!written) return written.problem();
    results = std::move(*written);
  }
  return core::with_refused(admitted, std::move(results));
}

Result<std::vector<core::StepAttempt>> LocalRunApi::list_steps(const core::RunRef& ref) {
  const auto run = get_run(ref);
  if (!run) return run.problem();
  return guarded([&]() -> Result<std::vector<core::StepAttempt>> {
    std::vector<core::RunEvent> events;
    for (store::StoredEvent& stored :
         store_.list_run_events(ref.id, 0, static_cast<std::size_t>(run->sequence)))
      events.push_back(std::move(stored.event));
    return run->facts.kind == core::RunKind::code ? core::step_attempts(events)
                                                  : std::vector<core::StepAttempt>{};
  });
}

Result<core::StepMemoPage> LocalRunApi::list_memo(const core::RunRef& ref, core::NodeKey from) {
  auto stored = runs_.read_nodes(ref, {.from = from});
  if (!stored) return stored.problem();
  return core::step_memos({.nodes = std::move(stored->nodes), .next = stored->next_node});
}

Result<core::StepMemo> LocalRunApi::get_step(const core::RunRef& ref, const std::string& step_id) {
  for (std::uint32_t probe = 0;; ++probe) {
    const core::NodeKey key = core::step_key(step_id, probe);
    const auto stored = runs_.read_nodes(ref, {.from = key, .nodes = 1});
    if (!stored) return stored.problem();
    const bool is_taken = !stored->nodes.empty() && stored->nodes.front().key == key;
    if (!is_taken) {
      return core::Problem{.code = core::ProblemCode::not_found,
                           .detail = fmt::format("run {} has no step '{}'", to_string(ref.id), step_id)};
    }
    if (stored->nodes.front().name == step_id) return core::memo_of(stored->nodes.front());
  }
}

// Events

Result<std::vector<core::RunEvent>> LocalRunApi::list_run_events(const core::ListRunEvents& list) {
  if (const core::Status valid = core::check_page_limit(list.limit); !valid) return valid.problem();
  const auto run = runs_.read(list.run, {});
  if (!run) return run.problem();
  return guarded([&]() -> Result<std::vector<core::RunEvent>> {
    std::vector<core::RunEvent> events;
    for (store::StoredEvent& stored :
         store_.list_run_events(list.run.id, list.after, static_cast<std::size_t>(list.limit)))
      events.push_back(std::move(stored.event));
    return events;
  });
}

Result<core::RunReplay> LocalRunApi::replay_run(const core::RunRef& ref, std::optional<std::int64_t> up_to) {
  auto stored = runs_.read(ref, {.nodes = true, .signals = true, .events = true, .claims = true});
  if (!stored) return stored.problem();
  const std::int64_t claimed = std::exchange(stored->run.claimed, 0);  // the log does not contain it
  const auto plan = runs_.plan_of(stored->run);
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
