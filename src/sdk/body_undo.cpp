// Registers and runs the undos of a workflow.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pawl/error.hpp"
#include "sdk/body.hpp"

namespace pawl::detail {

void Body::add_undo(Branch& branch, std::string_view name, const StepPolicy& policy,
                    std::function<void(Step&)> call) {
  register_undo(branch, {.id = next_id(branch, name), .retry = policy, .call = std::move(call)});
}

void Body::add_undo_transaction(Branch& branch, std::string_view name, const StepPolicy& policy,
                                SqlCall call) {
  std::string id = next_id(branch, name);
  if (const auto why = services_.connection.why_no_sql())
    throw Failure{"no_database", "the undo '" + id + "' needs a client of sqlite: or postgres: " + *why,
                  false};
  register_undo(branch, {.id = std::move(id), .retry = policy, .sql = std::move(call)});
}

void Body::register_undo(Branch& branch, Undo undo) {
  undo.sequence = branch.sequence;
  {
    const std::lock_guard lock{mutex_};
    if (!memo_.find(undo.id)) undeclared_.push_back(undo.id);
    undos_.push_back(std::move(undo));
  }
  undo_if_due(branch);
}

// The store keeps the names of registered undos, so that a run that ends without running them is detected.
std::vector<std::string> Body::undos_to_declare() {
  const std::lock_guard lock{mutex_};
  return std::exchange(undeclared_, {});
}

void Body::forget_declared(const std::vector<std::string>& undos) {
  if (undos.empty()) return;
  const std::lock_guard lock{mutex_};
  for (const std::string& undo : undos) std::erase(undeclared_, undo);
}

void Body::declare_undos() {
  core::WriteSteps command = command_of({});
  command.undos = undos_to_declare();
  Branch end{*this, "", began_at()};
  static_cast<void>(outcome_of([&] {
    static_cast<void>(write(end, command));
    return std::string{"null"};
  }));
}

// The undo functions refer to objects that no longer exist. One more run of the code, up to its last call,
// registers them again. The steps that the code has requested begin now, so that the code gets past them.
bool Body::has_planned_undoing() {
  if (undos_.empty()) return false;
  Branch end{*this, "", began_at()};
  if (!is_ending()) {
    static_cast<void>(outcome_of([&] {
      begin_now(end);
      return std::string{"null"};
    }));  // the next pass notices a lost lease
  }
  undo_at_ = calls_;
  planned_ = std::exchange(undos_, {});
  for (Undo& undo : planned_) {
    undo.call = nullptr;
    undo.sql = nullptr;
  }
  return true;
}

void Body::undo_if_due(Branch& branch) {
  if (branch.is_main && undo_at_ && branch.calls >= *undo_at_) undo_here(branch);
}

// Suspends the body until its tasks and children have ended. Their effects must be undone or final before
// earlier effects are undone.
void Body::wait_for_outside(Branch& branch) {
  std::vector<std::string> outside = memo_.live_outside();
  if (outside.empty() || memo_.has_compensations()) return;
  suspend(branch, {.steps = std::move(outside), .wants_all = true, .before_undoing = true});
}

// Undos run in the reverse order in which the work that they undo was committed. An undo that fails does not
// stop the others.
void Body::undo_here(Branch& branch) {
  {
    const std::lock_guard lock{mutex_};
    is_winding_down_ = true;
    unsent_.clear();
  }
  wait_for_all_branches();
  wait_for_outside(branch);
  is_undoing_ = true;
  const std::vector<Undo> undos = take_undos();
  for (auto one = undos.rbegin(); one != undos.rend(); ++one) undo(branch, *one);
  unwind(branch, Ending::undone);
}

// Includes the undos that the failed pass registered and this pass did not; they fail, because they cannot
// run.
std::vector<Body::Undo> Body::take_undos() {
  std::vector<Undo> undos;
  {
    const std::lock_guard lock{mutex_};
    undos = std::exchange(undos_, {});
  }
  for (const Undo& planned : planned_) {
    const bool is_there =
        std::any_of(undos.begin(), undos.end(), [&](const Undo& undo) { return undo.id == planned.id; });
    if (!is_there) undos.push_back(planned);
  }
  std::stable_sort(undos.begin(), undos.end(),
                   [](const Undo& a, const Undo& b) { return a.sequence < b.sequence; });
  return undos;
}

void Body::undo(Branch& branch, const Undo& undo) {
  Issued issued{.id = undo.id, .kind = core::StepKind::compensation, .memo = memo_.consume(undo.id)};
  issued.begin = {.action = core::StepAction::begin, .step_id = issued.id, .kind = issued.kind};
  const Outcome outcome = outcome_of([&] {
    if (undo.sql) return execute_transaction(branch, issued, undo.retry, undo.sql);
    return execute(branch, issued, undo.retry, [&](Step& step) {
      if (!undo.call)
        throw Failure{"undo_not_reached",
                      "the workflow ended earlier when it was run again, and did not come to it", false};
      undo.call(step);
      return std::string{"null"};
    });
  });
  if (outcome.kind == Outcome::Kind::unwound) throw Unwind{};
}

// The code is not deterministic. Completed work must not be recorded as undone.
void Body::give_up_undoing() {
  {
    const std::lock_guard lock{mutex_};
    undos_.clear();
  }
  Branch end{*this, "", began_at()};
  end.is_main = true;
  static_cast<void>(outcome_of([&]() -> std::string { undo_here(end); }));
  ending_ = end.ending;
}

}  // namespace pawl::detail
