#include "core/queue/fairness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/task/task.hpp"

namespace pawl::core {

namespace {

using Order = std::vector<std::size_t>;

// All tasks in lanes that are not shared form one stream.
std::int32_t stream_of(const TaskRecord& task) { return task.lane->is_shared() ? task.lane->id : 0; }

// FNV-1a: ids of the same moment differ in few bits, and each bit must affect the hash.
std::uint64_t mixed(std::uint64_t hash, const TaskId& id) {
  for (const std::uint8_t byte : id.bytes) hash = (hash ^ byte) * 0x100000001b3U;
  return hash;
}

// Appends the tasks of one priority by taking one from each stream in turn. `sorted` holds them stream by
// stream.
void take_turns(std::span<const TaskRecord* const> tasks, std::span<const std::size_t> sorted, Order& order) {
  std::vector<std::span<const std::size_t>> streams;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && stream_of(*tasks[sorted[end]]) == stream_of(*tasks[sorted[i]])) ++end;
    streams.push_back(sorted.subspan(i, end - i));
    i = end;
  }
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto& stream : streams) hash = mixed(hash, tasks[stream.front()]->id);
  std::size_t next = streams.size() == 1 ? 0 : (hash >> 32U) % streams.size();
  for (std::size_t left = sorted.size(); left > 0; next = (next + 1) % streams.size()) {
    if (streams[next].empty()) continue;
    order.push_back(streams[next].front());
    streams[next] = streams[next].subspan(1);
    --left;
  }
}

}  // namespace

Turn give_turn(LaneTurns& lane, const Fairness& fairness, bool comes_back) {
  KeyTurns& key = lane.keys[fairness.key];
  Turn& next = comes_back ? key.next_return : key.next;
  const Turn turn = std::max(lane.now, next);
  next = turn + std::llround(static_cast<double>(kWholeTurn) / fairness.weight);
  lane.last = std::max(lane.last, next);
  return turn;
}

std::vector<std::size_t> claim_order(std::span<const TaskRecord* const> tasks) {
  Order sorted(tasks.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    const TaskRecord& left = *tasks[a];
    const TaskRecord& right = *tasks[b];
    const std::int64_t left_rank = claim_rank(*left.lane);
    const std::int64_t right_rank = claim_rank(*right.lane);
    if (left_rank != right_rank) return left_rank > right_rank;
    if (stream_of(left) != stream_of(right)) return stream_of(left) < stream_of(right);
    return stands_before(left, right);
  });
  Order order;
  order.reserve(sorted.size());
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    const std::int64_t rank = claim_rank(*tasks[sorted[i]]->lane);
    while (end < sorted.size() && claim_rank(*tasks[sorted[end]]->lane) == rank) ++end;
    take_turns(tasks, std::span{sorted}.subspan(i, end - i), order);
    i = end;
  }
  return order;
}

}  // namespace pawl::core
