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
constexpr int kPagesForOne = 3;

// Keeps an answer that is what the function promised; otherwise the call stays on the list, to be refused.
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
          .detail = id + " has this key: it was created while the transaction was open"};
}

}  // namespace

int Inbox::poll() {
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
    const Status admitted =
        calls[i].is_checked ? api_.admission().fill_in_types(command) : api_.admission().admit(command);
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
  const auto& command = std::get<core::StartRun>(call.command);
  const auto once = api_.once(taking(call));
  const auto started = call.is_checked ? once->start_admitted(command) : once->start_run(command);
  if (!started) return started.problem();
  const std::string id = to_string(started->run.facts.id);
  if (id != call.id) return another_has_its_key("run " + id);
  return core::Done{};
}

std::optional<core::Record> Inbox::find(const core::RecordRef& ref) {
  const auto found =
      guarded([&]() -> Result<std::optional<core::Record>> { return store_.find_record(ref); });
  return found ? *found : std::nullopt;
}

bool Inbox::is_declared(const core::StartRun& command) {
  return find(core::definition_ref(command.ns, command.workflow)) ||
         find(core::code_workflow_ref(command.ns, command.workflow));
}

void Inbox::bring_forward(const core::RecordRef& ref) {
  const auto decide = [ref](core::FoundRecords found, core::TimePoint now) -> Result<core::RecordDecision> {
    core::RecordDecision decision;
    const bool is_put_off = found[0] && found[0]->expires_at && *found[0]->expires_at > now;
    if (is_put_off) decision.changes.push_back({.ref = ref, .body = found[0]->body, .expires_at = now});
    return decision;
  };
  std::vector<engine::Request> requests;
  requests.push_back({.command = core::ChangeRecords{.refs = {ref}, .decide = decide},
                      .reply = [](const Result<Answer>&) {}});
  engine_.execute(std::move(requests));
}

Promised Inbox::make(const std::string& id) {
  for (int page = 0; page < kPagesForOne; ++page) {
    const auto record = find(core::inbox_ref(id));
    if (!record) return page == 0 ? Promised::unknown : Promised::made;
    if (!record->expires_at) return Promised::unknown;  // it was refused
    const core::InboxCall call = core::inbox_call_from(*record);
    if (const auto* enqueue_one = std::get_if<core::EnqueueTasks>(&call.command)) {
      const bool is_in_line = enqueue_one->tasks.front().key.has_value();
      const int settled = is_in_line ? poll() : enqueue({call});
      if (settled > 0 && !is_in_line) return Promised::made;
    } else if (const auto* run = std::get_if<core::StartRun>(&call.command);
               run != nullptr && is_declared(*run)) {
      bring_forward(record->ref);
      return settle(call, start(call)) > 0 ? Promised::made : Promised::unknown;
    } else {
      return Promised::unknown;
    }
  }
  return Promised::waits;
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
