#include "pawl/workflow.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/sha256.hpp"
#include "sdk/body.hpp"
#include "sdk/convert.hpp"
#include "sdk/pending.hpp"
#include "sdk/promise.hpp"
#include "sdk/step_state.hpp"

namespace pawl {

namespace {

using core::StepKind;
using detail::Issued;

core::RetryPolicy step_retry(const RetryPolicy& policy) {
  return detail::retry_of(policy, {.max_attempts = 5});
}

detail::StepPolicy policy_of(const StepOptions& options) {
  if (options.timeout && *options.timeout <= Duration{0})
    throw Failure{"invalid_argument", "timeout: must be longer than 0", false};
  return {step_retry(options.retry), options.timeout};
}

// 32 hexadecimal digits, the same in each replay for the n-th draw of a branch.
std::string draw(detail::Branch& branch) {
  const std::string text =
      fmt::format("{}|{}|{}", to_string(branch.body.run_id()), branch.prefix, ++branch.draws);
  return core::sha256_hex(text).substr(0, 32);
}

const detail::StepState& step_here(std::string_view asked, const core::RunId& run) {
  const detail::StepState* step = detail::StepState::here();
  if (step != nullptr && step->run_id() == run) return *step;
  throw Failure{
      "not_in_step",
      fmt::format("{}: no step of this run is running on this thread. A key names one step: ask for it "
                  "in a step's function; on a thread that the function started, use its pawl::Step&",
                  asked),
      false};
}

}  // namespace

// --- steps ---

std::string Workflow::run_step(std::string_view name, const StepOptions& options,
                               const std::function<std::string(Step&)>& call) {
  branch_.body.enter(branch_);
  const Issued issued = branch_.body.issue(branch_, name, StepKind::function);
  return branch_.body.execute(branch_, issued, policy_of(options), call);
}

std::string Workflow::run_transaction(std::string_view name, const StepOptions& options,
                                      const std::function<std::string(Step&, Sql&)>& call) {
  branch_.body.enter(branch_);
  const Issued issued = branch_.body.issue(branch_, name, StepKind::function);
  return branch_.body.execute_transaction(branch_, issued, policy_of(options), call);
}

void Workflow::add_undo(std::string_view name, const StepOptions& options, std::function<void(Step&)> call) {
  branch_.body.enter(branch_, detail::UndoPlace::where_called);
  branch_.body.add_undo(branch_, name, policy_of(options), std::move(call));
}

void Workflow::add_undo_transaction(std::string_view name, const StepOptions& options,
                                    std::function<std::string(Step&, Sql&)> call) {
  branch_.body.enter(branch_, detail::UndoPlace::where_called);
  branch_.body.add_undo_transaction(branch_, name, policy_of(options), std::move(call));
}

std::string Workflow::operation_key() const {
  return step_here("operation_key", branch_.body.run_id()).operation_key();
}

std::string Workflow::execution_key() const {
  return step_here("execution_key", branch_.body.run_id()).execution_key();
}

// --- waits ---

void Workflow::sleep(std::string_view name, Duration duration) {
  branch_.body.enter(branch_);
  Issued issued = branch_.body.issue(branch_, name, StepKind::sleep);
  issued.begin.wait = std::max(duration, Duration{0});
  static_cast<void>(detail::given_by(branch_.body.settle(branch_, issued)));
}

std::optional<std::string> Workflow::wait_for_signal(std::string_view name, const SignalOptions& options) {
  branch_.body.enter(branch_);
  Issued issued = branch_.body.issue(branch_, name, StepKind::signal);
  issued.begin.signal = std::string{name};
  issued.begin.wait = options.timeout;
  const core::StepMemo memo = branch_.body.settle(branch_, issued);
  if (memo.error && memo.error->code == "timeout") return std::nullopt;
  return detail::given_by(memo);
}

detail::SharedPending Workflow::begin_sleep(std::string_view name, Duration duration) {
  branch_.body.enter(branch_);
  Issued issued = branch_.body.issue(branch_, name, StepKind::sleep, detail::Order::begun_soon);
  issued.begin.wait = std::max(duration, Duration{0});
  branch_.body.begin_soon(branch_, issued);
  return std::make_shared<detail::PendingState>(branch_, std::move(issued), detail::given_by);
}

detail::SharedPending Workflow::begin_signal(std::string_view name, const SignalOptions& options) {
  branch_.body.enter(branch_);
  Issued issued = branch_.body.issue(branch_, name, StepKind::signal, detail::Order::begun_soon);
  issued.begin.signal = std::string{name};
  issued.begin.wait = options.timeout;
  branch_.body.begin_soon(branch_, issued);
  return std::make_shared<detail::PendingState>(branch_, std::move(issued), detail::given_by_signal);
}

std::pair<std::string, detail::SharedPending> Workflow::make_promise(std::string_view name,
                                                                     const SignalOptions& options) {
  branch_.body.enter(branch_);
  Issued issued = branch_.body.issue(branch_, name, StepKind::signal, detail::Order::begun_soon);
  const std::string secret = branch_.body.promise_secret(branch_, issued);
  issued.begin.signal = detail::promise_signal(secret);
  issued.begin.wait = options.timeout;
  branch_.body.begin_soon(branch_, issued);
  std::string token = detail::promise_token(to_string(branch_.body.run_id()), secret);
  return {std::move(token),
          std::make_shared<detail::PendingState>(branch_, std::move(issued), detail::given_by_promise)};
}

// --- concurrency ---

detail::SharedPending Workflow::spawn_task(std::string_view type, std::string input,
                                           const SpawnOptions& options) {
  branch_.body.enter(branch_);
  Issued issued = branch_.body.issue(branch_, options.name.empty() ? type : std::string_view{options.name},
                                     StepKind::task, detail::Order::begun_soon);
  issued.begin.task = detail::spec_of(type, std::move(input),
                                      {.queue = options.queue.value_or(branch_.body.queue()),
                                       .priority = options.priority,
                                       .retry = options.retry,
                                       .timeout = options.timeout,
                                       .labels = options.labels});
  branch_.body.begin_soon(branch_, issued);
  return std::make_shared<detail::PendingState>(branch_, std::move(issued), detail::given_by);
}

detail::SharedPending Workflow::start_child(std::string_view workflow, std::string input,
                                            const ChildOptions& options) {
  branch_.body.enter(branch_);
  Issued issued =
      branch_.body.issue(branch_, options.name.empty() ? workflow : std::string_view{options.name},
                         StepKind::child, detail::Order::begun_soon);
  issued.begin.child = core::ChildSpec{.workflow = std::string{workflow},
                                       .input = {std::move(input)},
                                       .run_key = options.run_key,
                                       .queue = options.queue,
                                       .priority = options.priority,
                                       .deadline = options.deadline,
                                       .labels = options.labels};
  branch_.body.begin_soon(branch_, issued);
  return std::make_shared<detail::PendingState>(branch_, std::move(issued), detail::given_by);
}

detail::SharedPending Workflow::spawn_step(std::string_view name, const StepOptions& options,
                                           std::function<std::string(Step&)> call) {
  branch_.body.enter(branch_);
  const Issued issued = branch_.body.issue(branch_, name, StepKind::function, detail::Order::beside);
  detail::Branch beside{branch_, branch_.prefix};
  detail::Body::begin_beside(beside, branch_, issued.memo.has_value());
  return std::make_shared<detail::PendingState>(
      branch_,
      std::make_unique<detail::LocalRun>(std::move(beside), [issued, policy = policy_of(options),
                                                             call = std::move(call)](detail::Branch& own) {
        return own.body.execute(own, issued, policy, call);
      }));
}

detail::SharedPending Workflow::spawn_branch(std::string_view name,
                                             std::function<std::string(Workflow&)> call) {
  branch_.body.enter(branch_, detail::UndoPlace::where_called);
  detail::Branch line{branch_, branch_.body.next_id(branch_, name) + "/"};
  branch_.body.begin_line(line, branch_);
  auto pending = std::make_shared<detail::PendingState>(
      branch_,
      std::make_unique<detail::LocalRun>(std::move(line), [call = std::move(call)](detail::Branch& own) {
        Workflow workflow{own};
        return call(workflow);
      }));
  branch_.body.undo_if_due(branch_);  // the branch first progresses as far as before
  return pending;
}

std::vector<std::string> Workflow::await_all(const std::vector<detail::SharedPending>& pendings) {
  branch_.body.enter(branch_);
  return detail::await_each(branch_, pendings);
}

std::size_t Workflow::await_any(const std::vector<detail::SharedPending>& pendings,
                                const AnyOptions& options) {
  branch_.body.enter(branch_);
  const std::string id = branch_.body.next_id(branch_, "any");
  const auto known = branch_.body.find(id);
  const std::string kept = branch_.body.keep_marker(
      branch_, id, known ? "null" : std::to_string(detail::await_first(branch_, pendings)));
  const std::size_t index = detail::decode<std::size_t>(kept);
  if (index >= pendings.size())
    throw Failure{"invalid_state", "any: there were more to wait for when one of them was first", false};
  for (std::size_t i = 0; i < pendings.size(); ++i) {
    if (i == index) continue;
    if (pendings[i]->local() != nullptr) pendings[i]->local()->let_go();
    if (!options.keep_losers) pendings[i]->cancel_soon();
  }
  branch_.body.begin_now(branch_);
  return index;
}

std::vector<std::string> Workflow::map_steps(const MapOptions& options, std::size_t count,
                                             const std::function<std::string(Step&, std::size_t)>& call) {
  branch_.body.enter(branch_);
  std::vector<std::string> ids = branch_.body.item_ids(branch_, options.name, count);
  branch_.body.come_to(ids);
  std::vector<Issued> issued;
  for (std::string& id : ids)
    issued.push_back(branch_.body.issue_id(branch_, std::move(id), StepKind::function));
  const detail::StepPolicy policy{step_retry(options.retry), options.timeout};
  return detail::fan_out(
      branch_,
      {.count = count, .parallel = options.parallel, .call = [&](detail::Branch& own, std::size_t i) {
         return own.body.execute(own, issued[i], policy, [&](Step& step) { return call(step, i); });
       }});
}

std::vector<std::string> Workflow::map_branches(
    const MapOptions& options, std::size_t count,
    const std::function<std::string(Workflow&, std::size_t)>& call) {
  branch_.body.enter(branch_, detail::UndoPlace::where_called);
  std::vector<detail::Branch> items;
  items.reserve(count);
  for (const std::string& id : branch_.body.item_ids(branch_, options.name, count)) {
    items.emplace_back(branch_, id + "/");
    branch_.body.begin_line(items.back(), branch_);
  }
  return detail::fan_out(
      branch_,
      {.count = count, .parallel = options.parallel, .call = [&](detail::Branch& own, std::size_t i) {
         detail::Branch& item = items[i];
         const detail::Outcome outcome = detail::Body::call_branch(item, [&] {
           Workflow workflow{item};
           return call(workflow, i);
         });
         own.note({.sequence = item.sequence, .finished_at = item.now});
         if (outcome.kind == detail::Outcome::Kind::unwound) detail::Body::unwind(own, item.ending);
         if (outcome.thrown) std::rethrow_exception(outcome.thrown);
         if (outcome.kind == detail::Outcome::Kind::failed)
           throw Failure{outcome.error.code, outcome.error.message, false};
         return outcome.output;
       }});
}

// --- replacements for clocks and random numbers ---

TimePoint Workflow::now() const { return branch_.now; }

std::string Workflow::uuid() {
  branch_.body.enter(branch_);
  std::string hex = draw(branch_);
  hex[12] = '8';  // version 8 of RFC 9562: custom contents
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::uint64_t Workflow::random() {
  branch_.body.enter(branch_);
  return std::stoull(draw(branch_).substr(0, 16), nullptr, 16);
}

bool Workflow::patched(std::string_view name) {
  branch_.body.enter(branch_);
  return branch_.body.is_patched(branch_, name);
}

// --- the run ---

void Workflow::continue_with(std::string input) {
  branch_.body.enter(branch_);
  branch_.body.continue_as_new(branch_, std::move(input));
}

void Workflow::set_status(std::string_view status) {
  branch_.body.enter(branch_);
  branch_.body.set_status(branch_, std::string{status});
}

std::string Workflow::run_id() const { return to_string(branch_.body.run_id()); }
std::stop_token Workflow::stop_token() const {
  const detail::StepState* step = detail::StepState::here();
  if (step != nullptr && step->run_id() == branch_.body.run_id()) return step->stop_token();
  return branch_.body.stop_token_of(branch_);
}

}  // namespace pawl
