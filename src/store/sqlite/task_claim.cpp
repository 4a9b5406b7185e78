// Takes claimable tasks: merges the heads of the lanes.

#include <algorithm>
#include <deque>
#include <map>

#include "core/base/ensure.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_load.hpp"
#include "store/sqlite/task_rows.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

namespace {

using core::TaskRecord;

// A position in a lane, by core::lane_time. The default precedes every task, because no task has the nil id
// at the beginning of time.
struct Spot {
  core::TimePoint at = core::TimePoint::min();
  core::TaskId id = {};

  auto operator<=>(const Spot&) const = default;
};

// Reads the tasks of one lane in order and in small batches, so that with many lanes little is read in excess
// of what is requested.
class LaneHead {
 public:
  LaneHead(Connection& connection, const LaneShare& share, std::size_t handful)
      : connection_(connection),
        lane_(*share.lane),
        left_(std::max<std::int64_t>(share.max, 0)),
        handful_(handful) {}

  // The next task; nullptr when the share or the lane is exhausted.
  [[nodiscard]] const TaskRecord* peek() {
    if (left_ == 0) return nullptr;
    if (next_ == seen_.size() && !is_drained_) read_on();
    return next_ == seen_.size() ? nullptr : &seen_[next_];
  }
  [[nodiscard]] TaskRecord pop() {
    --left_;
    ++taken_;
    last_taken_ = {core::lane_time(seen_[next_]), seen_[next_].id};
    return std::move(seen_[next_++]);
  }

  // The popped tasks are the front of the lane, so one range deletes all of them.
  void remove_taken() {
    if (taken_ == 0) return;
    const int removed = connection_.statement(lane_.fair ? sql::take_fair_ready : sql::take_ready)
                            .run(lane_.id, last_taken_.at, last_taken_.id);
    PAWL_ENSURE(removed == taken_, "the lane changed although this transaction has the write lock");
  }

 private:
  void read_on() {
    seen_.clear();
    next_ = 0;
    const auto count = std::min<std::size_t>(handful_, static_cast<std::size_t>(left_));
    Rows row = connection_.statement(lane_.fair ? sql::list_fair_ready : sql::list_ready)
                   .rows(lane_.id, last_read_.at, last_read_.id, count);
    while (row.next()) {
      TaskRecord& record = seen_.emplace_back();
      record.lane = &lane_;
      const core::TimePoint at = row.time();
      record.id = row.task_id();
      record.progress = {.attempt = row.int32(), .fence = row.int64(), .budget_from = row.int32()};
      record.available_at = lane_.fair ? row.time() : at;
      if (lane_.fair) record.turn = core::micros(at);
    }
    is_drained_ = seen_.size() < count;
    if (!seen_.empty()) last_read_ = {core::lane_time(seen_.back()), seen_.back().id};
  }

  Connection& connection_;
  const core::Lane& lane_;
  std::int64_t left_;
  std::size_t handful_;
  std::vector<TaskRecord> seen_;
  std::size_t next_ = 0;
  bool is_drained_ = false;
  Spot last_read_;
  Spot last_taken_;
  int taken_ = 0;
};

// The lane with the first next task; nullptr when all are exhausted.
LaneHead* first_of(std::deque<LaneHead>& heads) {
  LaneHead* first = nullptr;
  const TaskRecord* best = nullptr;
  for (LaneHead& head : heads) {
    const TaskRecord* next = head.peek();
    if (next == nullptr) continue;
    if (best == nullptr || core::stands_before(*next, *best)) {
      first = &head;
      best = next;
    }
  }
  return first;
}

}  // namespace

std::vector<TaskRecord> SqliteTransaction::take_ready(std::span<const LaneShare> lanes, std::size_t max) {
  std::map<std::int64_t, std::vector<LaneShare>, std::greater<>> by_rank;
  for (const LaneShare& share : lanes) by_rank[core::claim_rank(*share.lane)].push_back(share);

  std::vector<TaskRecord> records;
  records.reserve(max);
  for (const auto& [rank, shares] : by_rank) {
    if (records.size() == max) break;  // lanes of lower rank are not read
    const std::size_t handful = shares.size() == 1 ? max - records.size() : max / shares.size() + 8;
    std::deque<LaneHead> heads;
    for (const LaneShare& share : shares) heads.emplace_back(connection_, share, handful);
    while (records.size() < max) {
      LaneHead* head = first_of(heads);
      if (head == nullptr) break;
      records.push_back(head->pop());
    }
    for (LaneHead& head : heads) head.remove_taken();
  }
  TaskLoader loader{connection_, lanes_};
  for (TaskRecord& record : records) {
    if (!remembered_.recall_facts(record)) loader.load_facts(record);
  }
  return records;
}

}  // namespace pawl::store::sqlite
