#include "runtime/inbox.hpp"

#include <optional>
#include <utility>

#include "runtime/guarded.hpp"

namespace pawl::runtime {

using core::Answer;
using core::Result;
using core::Status;

namespace {

constexpr std::size_t kCallsPage = 500;

// Kept where it is what the function promised; otherwise it stays on the list, to be refused.
core::DoOnce taking(const core::InboxCall& call) {
  core::DoOnce once{.ns = core::namespace_of(call.command), .takes = call.refs};
  once.keep = [call](const Answer& answer) -> std::optional<core::RawJson> {
    if (!core::is_promised(call, answer)) return std::nullopt;
    return core::RawJson{};
  };
  return once;
}

core::Problem another_has_its_key(const std::string& id) {
  return {.code = core::ProblemCode::conflict,
          .detail = id + " has this key: it was made while the transaction was open"};
}

}  // namespace

int Inbox::look() {
  const auto due = guarded([&]() -> Result<std::vector<core::Record>> {
    return store_.due_records(core::RecordKind::inbox, kCallsPage);
  });
  if (!due) return 0;
  std::vector<core::InboxCall> tasks;
  std::vector<core::InboxCall> others;
  for (const core::Record& record : *due) {
    core::InboxCall call = core::inbox_call_from(record);
    const bool is_task = std::holds_alternative<core::EnqueueTasks>(call.command);
    (is_task ? tasks : others).push_back(std::move(call));
  }
  int settled = enqueue(tasks);
  for (const core::InboxCall& call : others) {
    const bool is_start = std::holds_alternative<core::StartRun>(call.command);
    settled += settle(call, is_start ? start(call) : send(call));
  }
  return settled;
}

int Inbox::enqueue(const std::vector<core::InboxCall>& calls) {
  std::vector<engine::Request> requests;
  std::vector<Status> outcomes(calls.size(), Status{core::Done{}});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    core::EnqueueTasks command = std::get<core::EnqueueTasks>(calls[i].command);
    const Status admitted = api_.admit(command);
    const Status valid = admitted ? core::check(core::Command{command}) : admitted;
    if (!valid) {
      outcomes[i] = valid;
      continue;
    }
    core::DoOnce once = taking(calls[i]);
    once.command = std::make_shared<core::AnyCommand>(core::AnyCommand{std::move(command)});
    requests.push_back({.command = std::move(once), .reply = [&, i](const Result<Answer>& answer) {
                          if (!answer) {
                            outcomes[i] = answer.problem();
                          } else if (!core::is_promised(calls[i], *answer)) {
                            const auto& made = std::get<std::vector<core::Enqueued>>(*answer).front();
                            outcomes[i] = another_has_its_key("task " + to_string(made.id));
                          }
                        }});
  }
  if (!requests.empty()) engine_.execute(std::move(requests));
  int settled = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) settled += settle(calls[i], outcomes[i]);
  return settled;
}

Status Inbox::start(const core::InboxCall& call) {
  const auto started = api_.once(taking(call))->start_run(std::get<core::StartRun>(call.command));
  if (!started) return started.problem();
  const std::string id = to_string(started->run.facts.id);
  if (id != call.id) return another_has_its_key("run " + id);
  return core::Done{};
}

Status Inbox::send(const core::InboxCall& call) {
  const auto sent = api_.once(taking(call))->signal_run(std::get<core::SignalRun>(call.command));
  if (!sent) return sent.problem();
  return core::Done{};
}

int Inbox::settle(const core::InboxCall& call, const Status& outcome) {
  if (outcome) return 1;
  const core::Problem& problem = outcome.problem();
  if (core::is_passing(problem.code)) return 0;
  core::ChangeRecords keep{.refs = call.refs,
                           .decide = [call, problem](core::FoundRecords found, core::TimePoint now) {
                             return core::refuse(call, problem, found, now);
                           }};
  bool is_kept = false;
  std::vector<engine::Request> requests;
  requests.push_back({.command = std::move(keep),
                      .reply = [&is_kept](const Result<Answer>& answer) { is_kept = answer.ok(); }});
  engine_.execute(std::move(requests));
  return is_kept ? 1 : 0;
}

}  // namespace pawl::runtime
