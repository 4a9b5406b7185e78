// What a workflow does to undo what it has done.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pawl/error.hpp"
#include "sdk/body.hpp"

namespace pawl::detail {

void Body::add_undo(Branch& branch, std::string_view name, const StepPolicy& policy,
                    std::function<void(Step&)> call) {
  Undo undo{
      .id = next_id(branch, name), .sequence = branch.sequence, .retry = policy, .call = std::move(call)};
  {
    const std::lock_guard lock{mutex_};
    undos_.push_back(std::move(undo));
  }
  undo_if_due(branch);
}

// Its functions refer to what is gone now: they are registered again when the code is run once more, up to
// the last call that it made. What it had asked for is begun, so that the code comes past it again.
bool Body::has_planned_undoing() {
  if (undos_.empty()) return false;
  Branch end{*this, "", began_at()};
  if (!is_ending()) {
    static_cast<void>(outcome_of([&] {
      begin_now(end);
      return std::string{"null"};
    }));  // one that was lost is noticed by the next pass
  }
  undo_at_ = calls_;
  planned_ = std::exchange(undos_, {});
  for (Undo& undo : planned_) undo.call = nullptr;
  return true;
}

void Body::undo_if_due(Branch& branch) {
  if (branch.is_main && undo_at_ && branch.calls >= *undo_at_) undo_here(branch);
}

// The reverse of the order in which what they undo was committed; where one fails for good, those behind it
// do not run.
void Body::undo_here(Branch& branch) {
  {
    const std::lock_guard lock{mutex_};
    is_winding_down_ = true;
    unsent_.clear();
  }
  wait_for_branches([this] { return branches_ == 0; });
  is_undoing_ = true;
  const std::vector<Undo> undos = take_undos();
  for (auto one = undos.rbegin(); one != undos.rend() && !undo_failed_; ++one) undo(branch, *one);
  unwind(branch, Ending::undone);
}

// With those that the pass that failed had registered and this one has not: they cannot be done.
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
  const Issued issued{.id = undo.id, .kind = core::StepKind::compensation, .memo = memo_.consume(undo.id)};
  const Outcome outcome = outcome_of([&] {
    return execute(branch, issued, undo.retry, [&](Step& step) {
      if (!undo.call)
        throw Failure{"undo_not_reached",
                      "the workflow ended earlier when it was run again, and did not come to it", false};
      undo.call(step);
      return std::string{"null"};
    });
  });
  if (outcome.kind == Outcome::Kind::unwound) throw Unwind{};
  if (outcome.kind == Outcome::Kind::failed)
    undo_failed_ = fmt::format("the undo '{}' failed: {}", undo.id, outcome.error.message);
}

// The code is not the same each time. What was done must not be taken for undone.
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
