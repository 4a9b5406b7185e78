// What a workflow does to undo what it has done.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pawl/error.hpp"
#include "sdk/body.hpp"

namespace pawl::detail {

void Body::add_undo(Branch& branch, std::string_view name, const core::RetryPolicy& retry,
                    std::function<void()> call) {
  Undo undo{
      .id = next_id(branch, name), .sequence = branch.sequence, .retry = retry, .call = std::move(call)};
  {
    const std::lock_guard lock{mutex_};
    undos_.push_back(std::move(undo));
  }
  undo_if_due(branch);
}

void Body::undo_if_due(Branch& branch) {
  if (branch.is_main && undo_at_ && branch.calls >= *undo_at_) undo_here(branch);
}

// The reverse of the order in which what they undo was committed; where one fails for good, those behind it
// do not run.
void Body::undo_here(Branch& branch) {
  std::vector<Undo> undos;
  {
    const std::lock_guard lock{mutex_};
    is_winding_down_ = true;
  }
  wait_for_branches([] { return false; });
  {
    const std::lock_guard lock{mutex_};
    undos = std::exchange(undos_, {});
  }
  is_undoing_ = true;
  std::stable_sort(undos.begin(), undos.end(),
                   [](const Undo& a, const Undo& b) { return a.sequence < b.sequence; });
  for (auto undo = undos.rbegin(); undo != undos.rend() && !undo_failed_; ++undo) {
    Issued issued{.id = undo->id, .kind = core::StepKind::compensation, .memo = memo_.consume(undo->id)};
    const Outcome outcome = outcome_of([&] {
      return execute(branch, issued, undo->retry, [&] {
        undo->call();
        return std::string{"null"};
      });
    });
    if (outcome.kind == Outcome::Kind::unwound) throw Unwind{};
    if (outcome.kind == Outcome::Kind::failed)
      undo_failed_ = fmt::format("the undo '{}' failed: {}", undo->id, outcome.error.message);
  }
  unwind(branch, Ending::undone);
}

}  // namespace pawl::detail
