#include "runtime/retainer.hpp"

#include <algorithm>
#include <utility>

#include "runtime/guarded.hpp"

namespace pawl::runtime {

namespace {

// The pause between two walks.
constexpr core::Duration kWalkEvery = std::chrono::seconds{10};
// Besides other work, erasing takes one part of the time and leaves this many. A walk that has lasted long
// leaves fewer parts, since data that arrives faster than it is erased would grow without bound.
constexpr int kPartsLeft = 19;
constexpr int kPartsLeftLate = 2;
constexpr core::Duration kLate = std::chrono::hours{1};

}  // namespace

core::Duration Retainer::step() {
  const core::MonotonicTime began_at = clock_.monotonic();
  if (began_at < next_) return next_ - began_at;
  auto page = next_page();
  if (!page) {
    walk_.reset();
    next_ = clock_.monotonic() + kWalkEvery;
    return kWalkEvery;
  }
  if (page->command) {
    std::vector<engine::Request> group;
    group.push_back(
        {.command = std::move(*page->command), .reply = [](const core::Result<core::Answer>&) {}});
    engine_.execute(std::move(group));
  }
  const core::MonotonicTime ended_at = clock_.monotonic();
  const core::Duration pause = pause_after(ended_at - began_at);
  groups_seen_ = engine_.stats().groups;
  next_ = ended_at + pause;
  return pause;
}

// Also none if the store cannot be reached: the next walk starts anew.
std::optional<engine::RetentionWalk::Page> Retainer::next_page() {
  auto page = guarded([&]() -> core::Result<std::optional<engine::RetentionWalk::Page>> {
    if (!walk_) {
      walk_.emplace(engine_.store(), retention_);
      walk_began_ = clock_.monotonic();
    }
    return walk_->next();
  });
  return page ? std::move(*page) : std::nullopt;
}

// Besides other work, a page mostly waits for its turn to write, which costs the others nothing. Its cost is
// taken to be the time of the fastest of the last pages.
core::Duration Retainer::pause_after(core::Duration took) {
  page_cost_ = page_cost_ == core::Duration{0} ? took : std::min(took, page_cost_ + page_cost_ / 8);
  const bool is_alone = engine_.store().writers() == 1 && engine_.stats().groups <= groups_seen_ + 1;
  if (is_alone) return core::Duration{0};
  const bool is_late = clock_.monotonic() > walk_began_ + kLate;
  return page_cost_ * (is_late ? kPartsLeftLate : kPartsLeft);
}

}  // namespace pawl::runtime
