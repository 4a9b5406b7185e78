#include "server/readiness.hpp"

#include <utility>

namespace pawl::server {

namespace {

constexpr core::Duration kCheckTimeout = std::chrono::seconds{3};
constexpr int kGoodChecks = 2;  // in a row, after a failed one

Readiness::Verdict too_late() {
  return {.status = store_unreachable(), .cause = "the store has not answered the readiness check yet"};
}

}  // namespace

core::Problem store_unreachable() {
  return {.code = core::ProblemCode::unavailable, .detail = "the store cannot be reached"};
}

// The read also fails if migrations are missing.
Readiness::Verdict Readiness::verdict_now() {
  const auto read = api_.list_queues("default");
  if (!read) return {.status = store_unreachable(), .cause = read.problem().detail};
  if (const core::Status sound = api_.check_store(); !sound)
    return {.status = store_unreachable(), .cause = sound.problem().detail};
  const core::Status moves = check_progress_();
  return {.status = moves, .cause = moves ? "" : moves.problem().detail};
}

void Readiness::ask(const Done& done) {
  bool is_first = false;
  bool is_late = false;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock{mutex_};
    is_late = is_late_;
    is_first = !std::exchange(is_checking_, true);
    if (is_first) ++checks_;
    number = checks_;
    if (!is_late) waiting_.push_back(done);
  }
  if (is_late) done(too_late());
  if (!is_first) return;
  later_(kCheckTimeout, [this, number] { give_up(number); });
  blocking_({.kind = WorkKind::vital}, [this] { check(); });
}

Readiness::Verdict Readiness::after_recovery(Verdict verdict) {
  if (!verdict.status) {
    good_checks_needed_ = kGoodChecks;
  } else if (good_checks_needed_ > 0 && --good_checks_needed_ > 0) {
    return {.status = store_unreachable(),
            .cause = "the store is reachable again; waiting for a second successful check"};
  }
  return verdict;
}

void Readiness::check() {
  Verdict verdict = verdict_now();
  std::vector<Done> waiting;
  {
    const std::lock_guard lock{mutex_};
    verdict = after_recovery(std::move(verdict));
    waiting.swap(waiting_);
    is_checking_ = false;
    is_late_ = false;
  }
  reply(waiting, verdict);
}

void Readiness::give_up(std::uint64_t number) {
  std::vector<Done> waiting;
  {
    const std::lock_guard lock{mutex_};
    if (!is_checking_ || checks_ != number) return;
    is_late_ = true;
    good_checks_needed_ = kGoodChecks;
    waiting.swap(waiting_);
  }
  reply(waiting, too_late());
}

void Readiness::reply(const std::vector<Done>& waiting, const Verdict& verdict) {
  for (const Done& done : waiting) done(verdict);
}

}  // namespace pawl::server
