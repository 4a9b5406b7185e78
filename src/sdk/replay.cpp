// Exports a run's history as text, and replays it against code.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/open_store.hpp"
#include "pawl/testing.hpp"
#include "sdk/body.hpp"
#include "sdk/convert.hpp"

namespace pawl::testing {

namespace {

using core::RawJson;
using pawl::detail::value_of;

Json json_from(const RawJson& raw) { return pawl::detail::decode<Json>(raw.text); }

Json json_of(const core::TaskError& error) { return {{"code", error.code}, {"message", error.message}}; }

core::TaskError error_from(const Json& json) {
  return {.code = json.at("code"), .message = json.at("message"), .retryable = false};
}

Json json_of(const core::StepAttempt& step) {
  Json json{{"step", step.step_id},
            {"kind", core::to_string(step.kind)},
            {"state", core::to_string(step.state)},
            {"attempt", step.attempt},
            {"output", json_from(step.output)}};
  if (step.error) json["error"] = json_of(*step.error);
  if (step.finished_at) json["finished_at"] = core::micros(*step.finished_at);
  if (step.child_id) json["child_id"] = to_string(*step.child_id);
  return json;
}

core::StepMemo memo_from(const Json& json, std::int64_t place) {
  core::StepMemo memo{
      .step_id = json.at("step"),
      .kind = core::step_kind_from(json.at("kind").get<std::string>()).value_or(core::StepKind::function),
      .state = core::node_state_from(json.at("state").get<std::string>()).value_or(core::NodeState::running),
      .attempt = json.at("attempt"),
      .sequence = place,
      .output = {json.at("output").dump()}};
  if (json.contains("error")) memo.error = error_from(json.at("error"));
  if (json.contains("finished_at"))
    memo.finished_at = core::time_from_micros(json.at("finished_at").get<std::int64_t>());
  return memo;
}

// What the replayed code reached.
struct Seen {
  std::optional<std::string> output = {};
  std::optional<core::TaskError> error = {};
  std::string parked = {};
  std::string beyond = {};  // the first step that is not in the history
};

// Writes nothing. It notes what the body reports, and answers every write as if the lease were lost.
class ReplayConnection final : public pawl::detail::Connection {
 public:
  explicit ReplayConnection(Seen& seen)
      : Connection("default", std::make_unique<runtime::SystemClock>()),
        seen_(seen),
        store_(client::open_store({.type = client::StoreType::memory}, clock(), random())),
        api_(*store_, clock(), random(),
             [this](const core::Command& command, const core::Reply& reply) { note(command, reply); }) {}

  [[nodiscard]] pawl::detail::Calls calls() override { return pawl::detail::Calls{api_}; }
  [[nodiscard]] pawl::detail::Calls own_calls(core::Duration) override { return calls(); }
  [[nodiscard]] core::Duration claim_wait() const override { return core::Duration{0}; }
  [[nodiscard]] std::optional<std::string> why_no_sql() const override { return std::nullopt; }
  [[nodiscard]] core::Result<std::optional<core::StepsWritten>> transact(const StepsWork&) override {
    return over();
  }

 private:
  static core::Problem over() { return {.code = core::ProblemCode::stale_lease, .detail = "a replay"}; }

  void note(const core::Command& command, const core::Reply& reply) {
    const auto* steps = std::get_if<core::WriteSteps>(&command);
    if (steps != nullptr && steps->park) seen_.parked = *steps->park;
    const auto* reports = std::get_if<core::ReportTasks>(&command);
    if (reports == nullptr) return reply(over());
    const core::Report& report = reports->reports.front();
    if (report.action == core::ReportAction::complete) seen_.output = report.output.text;
    if (report.action == core::ReportAction::fail) seen_.error = report.error;
    reply(core::Answer{std::vector<core::Result<core::ReportAnswer>>{core::ReportAnswer{}}});
  }

  Seen& seen_;
  std::unique_ptr<store::Store> store_;
  runtime::LocalApi api_;
};

// Whether the run was stopped from outside. The history then shows how far the code came, but not how it
// would have ended.
bool was_stopped(const Json& history) {
  if (!history.contains("error")) return history.at("state") == "cancelled";
  const auto reason = core::stop_reason_from(history.at("error").at("code").get<std::string>());
  return history.at("state") == "cancelled" || reason.has_value();
}

core::ClaimedTask claimed_from(const Json& history) {
  const auto run_id = pawl::detail::run_id_from(history.at("run_id").get<std::string>());
  core::ClaimedTask claimed;
  claimed.task.id = core::TaskId{run_id};  // any id works
  claimed.task.run_id = run_id;
  claimed.task.payload = {history.at("input").dump()};
  claimed.task.created_at = core::time_from_micros(history.at("created_at").get<std::int64_t>());
  claimed.task.lease = core::LeaseView{.acquired_at = claimed.task.created_at};
  auto memo = std::make_shared<core::BodyMemo>();
  for (const Json& step : history.at("steps")) {
    core::StepMemo known = memo_from(step, static_cast<std::int64_t>(memo->steps.size()) + 1);
    // A step that was waiting at the stop did not end for the code: the code ended first.
    const bool is_cut_off = was_stopped(history) && known.state == core::NodeState::cancelled;
    if (!is_cut_off) memo->steps.push_back(std::move(known));
  }
  claimed.memo = std::move(memo);
  return claimed;
}

void judge(const Json& history, const Seen& seen) {
  if (!seen.parked.empty()) throw Mismatch{seen.parked};
  if (!history.at("is_closed").get<bool>() || was_stopped(history)) return;
  const bool is_completed = history.at("state") == "completed";
  const std::string expected = is_completed ? "the result " + history.at("output").dump()
                                            : "the failure " + history.value("error", Json::object()).dump();
  if (!seen.beyond.empty())
    throw Mismatch{fmt::format("expected the end of the workflow, found step '{}'", seen.beyond)};
  std::string found = "no end";
  if (seen.output) found = "the result " + pawl::detail::decode<Json>(*seen.output).dump();
  if (seen.error) found = "the failure " + json_of(*seen.error).dump();
  // The run stores why its undo failed, not the failure that started the undo.
  if (history.at("state") == "compensation_failed" && seen.error) return;
  if (found != expected) throw Mismatch{fmt::format("expected {}, found {}", expected, found)};
}

}  // namespace

std::string export_history(const Run& run) {
  pawl::detail::Connection& connection = *run.connection();
  const core::RunRef ref{.ns = connection.ns(), .id = pawl::detail::run_id_from(run.id())};
  const pawl::detail::Calls calls = connection.calls();
  const core::Run stored = value_of(calls.runs().get_run(ref));
  Json history{{"run_id", run.id()},
               {"workflow", stored.facts.workflow},
               {"input", json_from(stored.facts.input)},
               {"state", core::to_string(stored.state)},
               {"is_closed", core::is_closed(stored.state)},
               {"output", json_from(stored.output)},
               {"created_at", core::micros(stored.created_at)},
               {"steps", Json::array()}};
  if (stored.error) history["error"] = json_of(*stored.error);
  for (const core::StepAttempt& step : value_of(calls.runs().list_steps(ref))) {
    if (step.is_latest) history["steps"].push_back(json_of(step));
  }
  return history.dump(2);
}

void detail::replay_history(const std::string& text, const pawl::detail::WorkflowHandler& handler) {
  const Json history = pawl::detail::decode<Json>(text);
  Seen seen;
  ReplayConnection connection{seen};
  const pawl::detail::Log silent = [](const std::string&) {};
  pawl::detail::Reporter reporter{connection, "replay", silent};
  worker::Lease lease{{.task_id = {}, .fence = 0, .until = core::MonotonicTime::max()}, connection.clock()};
  const core::ClaimedTask claimed = claimed_from(history);
  std::mutex mutex;
  pawl::detail::Body body{{.connection = connection,
                           .reporter = reporter,
                           .lease = lease,
                           .is_draining = [] { return false; },
                           .went_beyond =
                               [&](const std::string& step) {
                                 const std::lock_guard lock{mutex};
                                 if (seen.beyond.empty()) seen.beyond = step;
                               }},
                          claimed};
  static_cast<void>(body.run(handler));
  judge(history, seen);
}

}  // namespace pawl::testing
