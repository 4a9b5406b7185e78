#include "server/readiness.hpp"

#include <utility>

namespace pawl::server {

namespace {

constexpr core::Duration kLookTime = std::chrono::seconds{3};
constexpr int kGoodLooks = 2;  // in a row, after a failed one

Readiness::Verdict too_late() {
  return {.status = store_unreachable(), .cause = "the store has not answered the readiness check yet"};
}

}  // namespace

core::Problem store_unreachable() {
  return {.code = core::ProblemCode::unavailable, .detail = "the store cannot be reached"};
}

// The read also fails if migrations are missing.
Readiness::Verdict Readiness::judge() {
  const auto read = api_.list_queues("default");
  if (!read) return {.status = store_unreachable(), .cause = read.problem().detail};
  if (const core::Status sound = api_.check_store(); !sound)
    return {.status = store_unreachable(), .cause = sound.problem().detail};
  const core::Status moves = check_progress_();
  return {.status = moves, .cause = moves ? "" : moves.problem().detail};
}

void Readiness::ask(const Told& told) {
  bool begins = false;
  bool is_late = false;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock{mutex_};
    is_late = is_late_;
    begins = !std::exchange(is_looking_, true);
    if (begins) ++looks_;
    number = looks_;
    if (!is_late) askers_.push_back(told);
  }
  if (is_late) told(too_late());
  if (!begins) return;
  later_(kLookTime, [this, number] { give_up(number); });
  blocking_({.kind = WorkKind::vital}, [this] { look(); });
}

Readiness::Verdict Readiness::settled(Verdict verdict) {
  if (!verdict.status) {
    good_looks_needed_ = kGoodLooks;
  } else if (good_looks_needed_ > 0 && --good_looks_needed_ > 0) {
    return {.status = store_unreachable(),
            .cause = "the store is reachable again; waiting for a second successful check"};
  }
  return verdict;
}

void Readiness::look() {
  Verdict verdict = judge();
  std::vector<Told> askers;
  {
    const std::lock_guard lock{mutex_};
    verdict = settled(std::move(verdict));
    askers.swap(askers_);
    is_looking_ = false;
    is_late_ = false;
  }
  tell(askers, verdict);
}

void Readiness::give_up(std::uint64_t number) {
  std::vector<Told> askers;
  {
    const std::lock_guard lock{mutex_};
    if (!is_looking_ || looks_ != number) return;
    is_late_ = true;
    good_looks_needed_ = kGoodLooks;
    askers.swap(askers_);
  }
  tell(askers, too_late());
}

void Readiness::tell(const std::vector<Told>& askers, const Verdict& verdict) {
  for (const Told& told : askers) told(verdict);
}

}  // namespace pawl::server
