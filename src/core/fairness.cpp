#include "core/fairness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/task.hpp"

namespace pawl::core {

namespace {

using Order = std::vector<std::size_t>;

// All lanes that are not fair are one stream.
std::int32_t stream_of(const TaskRecord& task) { return task.lane->fair ? task.lane->id : 0; }

// FNV-1a: ids of one moment differ in few bits, and each has to count.
std::uint64_t mixed(std::uint64_t hash, const TaskId& id) {
  for (const std::uint8_t byte : id.bytes) hash = (hash ^ byte) * 0x100000001b3U;
  return hash;
}

// Appends the tasks of one priority, which stand stream by stream in [first, last).
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
    if (left.lane->priority != right.lane->priority) return left.lane->priority > right.lane->priority;
    if (stream_of(left) != stream_of(right)) return stream_of(left) < stream_of(right);
    return stands_before(left, right);
  });
  Order order;
  order.reserve(sorted.size());
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && tasks[sorted[end]]->lane->priority == tasks[sorted[i]]->lane->priority)
      ++end;
    take_turns(tasks, std::span{sorted}.subspan(i, end - i), order);
    i = end;
  }
  return order;
}

}  // namespace pawl::core
