#include "pawl/client.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "sdk/connection.hpp"
#include "sdk/convert.hpp"
#include "sdk/promise.hpp"

namespace pawl {

namespace {

using detail::value_of;

core::OnConflict on_conflict_of(OnConflict on_conflict) {
  switch (on_conflict) {
    case OnConflict::return_existing: return core::OnConflict::return_existing;
    case OnConflict::fail: return core::OnConflict::fail;
    case OnConflict::restart_if_closed: break;
  }
  return core::OnConflict::restart_if_closed;
}

core::RunAction action_of(const std::string& name) {
  for (int i = 0; i < core::kRunActionCount; ++i) {
    const auto action = static_cast<core::RunAction>(i);
    if (core::to_string(action) == name) return action;
  }
  throw Error{"invalid_argument", "there is no action '" + name + "'"};
}

// A server that restarts is back within seconds. If one stays unreachable for longer, its address is probably
// wrong.
constexpr core::Duration kAwayMax = std::chrono::minutes{10};
constexpr core::Duration kTryAgainFirst = std::chrono::milliseconds{20};
constexpr core::Duration kTryAgainLast = std::chrono::seconds{1};

void wait_for(core::Duration time) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock{mutex};
  never.wait_for(lock, time);
}

core::RunRef ref_of(detail::Connection& connection, const std::string& run) {
  return {.ns = connection.ns(), .id = detail::run_id_from(run)};
}

}  // namespace

Client connect(const std::string& address, const ConnectOptions& options) {
  return Client{detail::open_connection(address, options)};
}

// --- runs ---

Run Client::start_text(std::string_view workflow, std::string input, const StartOptions& options) const {
  const core::StartRun request{.ns = connection_->ns(),
                               .workflow = std::string{workflow},
                               .run_key = options.run_key,
                               .input = {std::move(input)},
                               .kind = core::RunKind::code,
                               .queue = options.queue,
                               .priority = options.priority,
                               .deadline = options.deadline,
                               .labels = options.labels,
                               .on_conflict = on_conflict_of(options.on_conflict)};
  const auto started = value_of(connection_->calls().runs().start_run(request));
  return Run{connection_, to_string(started.run.facts.id)};
}

std::vector<RunInfo> Client::runs(const RunQuery& query) const {
  core::ListRuns list{
      .query = {.ns = connection_->ns(), .workflow = query.workflow, .run_key = query.run_key},
      .limit = query.limit};
  for (const std::string& name : query.states) {
    const auto state = core::run_state_from(name);
    if (!state) throw detail::error_of(core::invalid_field("states", "there is no state '" + name + "'"));
    list.query.states.push_back(*state);
  }
  std::vector<RunInfo> found;
  for (const core::Run& run : value_of(connection_->calls().runs().list_runs(list)).items)
    found.push_back(detail::info_of(run));
  return found;
}

RunInfo Run::info() const {
  return detail::info_of(value_of(connection_->calls().runs().get_run(ref_of(*connection_, id_))));
}

void Run::send_signal(std::string_view name, std::string payload, const SendOptions& options) const {
  static_cast<void>(value_of(
      connection_->calls().runs().signal_run({.run = ref_of(*connection_, id_),
                                              .signal = {.name = std::string{name},
                                                         .payload = {std::move(payload)},
                                                         .idempotency_key = options.idempotency_key}})));
}

std::string Run::wait_for_output(std::optional<Duration> timeout) const {
  core::Clock& clock = connection_->clock();
  const auto begun = clock.monotonic();
  core::MonotonicTime last_reply = begun;
  core::Duration try_again = kTryAgainFirst;
  std::string id = id_;  // the last run of the chain so far
  auto waiting = connection_->waiting(detail::run_id_from(id));
  for (;;) {
    connection_->check_wait();
    core::Duration wait = connection_->result_wait();
    if (timeout) wait = std::min(wait, *timeout - (clock.monotonic() - begun));
    const auto reply =
        connection_->calls().runs().await_run(ref_of(*connection_, id), std::max(wait, core::Duration{0}));
    if (!reply) {
      const core::Duration left =
          timeout ? *timeout - (clock.monotonic() - begun) : kAwayMax - (clock.monotonic() - last_reply);
      if (!core::is_passing(reply.problem().code) || left <= core::Duration{0})
        throw detail::error_of(reply.problem());
      wait_for(std::min(try_again, left));
      try_again = std::min(try_again * 2, kTryAgainLast);
      continue;
    }
    last_reply = clock.monotonic();
    try_again = kTryAgainFirst;
    const core::Run& run = *reply;
    const RunInfo info = detail::info_of(run);
    if (run.continued_as) {
      id = to_string(*run.continued_as);
      waiting = connection_->waiting(*run.continued_as);
      continue;
    }
    if (run.state == core::RunState::completed) return info.output_text;
    if (info.is_closed) {
      const ErrorInfo error =
          info.error.value_or(ErrorInfo{.code = info.state, .message = "the run is " + info.state});
      const std::string undone =
          info.compensation_error ? "; compensation failed: " + info.compensation_error->message : "";
      throw RunFailed{{.id = id, .state = info.state}, error.code, error.message + undone};
    }
    if (timeout && clock.monotonic() - begun >= *timeout)
      throw Error{"timeout", fmt::format("run {} is still {}", id, info.state)};
  }
}

void Run::act(const std::string& action, const std::string& reason) const {
  core::ActOnRun request{.run = ref_of(*connection_, id_)};
  request.asked.action = action_of(action);
  if (!reason.empty()) request.asked.reason = reason;
  static_cast<void>(value_of(connection_->calls().runs().act_on_run(request)));
}

void Run::skip(const std::string& step) const {
  const core::ActOnRun request{.run = ref_of(*connection_, id_),
                               .asked = {.action = core::RunAction::skip, .step = step}};
  static_cast<void>(value_of(connection_->calls().runs().act_on_run(request)));
}

std::vector<Event> Run::events(std::int64_t after) const {
  const detail::Calls calls = connection_->calls();
  std::vector<Event> events;
  for (;;) {
    const auto page = value_of(calls.runs().list_run_events(
        {.run = ref_of(*connection_, id_), .after = after, .limit = core::kPageMax}));
    for (const core::RunEvent& event : page) events.push_back(detail::event_of(event));
    if (page.size() < static_cast<std::size_t>(core::kPageMax)) return events;
    after = page.back().sequence;
  }
}

std::vector<StepInfo> Run::steps() const {
  std::vector<StepInfo> steps;
  for (const core::StepAttempt& attempt :
       value_of(connection_->calls().runs().list_steps(ref_of(*connection_, id_))))
    steps.push_back(detail::info_of(attempt));
  return steps;
}

// --- tasks ---

Enqueued Client::enqueue_text(std::string_view type, std::string payload,
                              const EnqueueOptions& options) const {
  const auto made = value_of(connection_->calls().tasks().enqueue(
      connection_->ns(), detail::spec_of(type, std::move(payload), options)));
  return {.id = to_string(made.task.id), .created = made.created};
}

std::vector<Enqueued> Client::enqueue_batch(const std::vector<NewTask>& tasks) const {
  core::EnqueueTasks command{.ns = connection_->ns()};
  for (const NewTask& task : tasks)
    command.tasks.push_back(detail::spec_of(task.type, task.payload_text, task.options));
  std::vector<Enqueued> made;
  for (const core::Enqueued& one : value_of(connection_->calls().tasks().enqueue_batch(std::move(command))))
    made.push_back({.id = to_string(one.id), .created = one.created});
  return made;
}

TaskInfo Client::task(std::string_view id) const {
  return detail::info_of(
      value_of(connection_->calls().tasks().get_task(connection_->ns(), detail::task_id_from(id))).task);
}

void Client::cancel_task(std::string_view id) const {
  static_cast<void>(
      value_of(connection_->calls().tasks().cancel_task(connection_->ns(), detail::task_id_from(id))));
}

void Client::retry_task(std::string_view id) const {
  static_cast<void>(
      value_of(connection_->calls().tasks().retry_task(connection_->ns(), detail::task_id_from(id))));
}

// --- promises ---

void Client::fail_promise(std::string_view token, const Failure& failure) const {
  end_promise(token, detail::encode_argument(
                         Json{{"error", {{"code", failure.code()}, {"message", failure.message()}}}}));
}

// A promise is a signal that only a holder of the token can name. The token is also the idempotency key, so
// the first completion counts.
void Client::end_promise(std::string_view token, std::string outcome) const {
  const detail::PromiseToken parts = detail::promise_token_from(token);
  run(parts.run_id).send_signal(parts.signal, std::move(outcome), {.idempotency_key = std::string{token}});
}

}  // namespace pawl
