#include "store/postgres/sql.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

struct FairKey {
  std::int32_t lane = 0;
  std::string_view key = {};
  core::KeyTurns turns = {};
};

void send_forgetting(Connection& connection, const TurnsWrite& write) {
  Params params;
  params.value(write.lane->id);
  params.column(write.turns.keys, [](const auto& entry) { return std::string_view{entry.first}; });
  connection.send(sql::forget_fair_keys, params);
}

}  // namespace

std::vector<core::LaneTurns> PostgresTransaction::lock_turns(std::span<const TurnsRef> refs) {
  std::vector<FairKey> keys;
  for (const TurnsRef& ref : refs) {
    for (const std::string& key : ref.keys) keys.push_back({.lane = ref.lane->id, .key = key});
  }
  Params of_lanes;
  of_lanes.column(refs, [](const TurnsRef& ref) { return ref.lane->id; });
  Params of_keys;
  of_keys.column(keys, [](const FairKey& key) { return key.lane; });
  of_keys.column(keys, [](const FairKey& key) { return key.key; });
  Params of_marks;
  of_marks.column(refs, [](const TurnsRef& ref) { return ref.lane->id; });
  of_marks.column(refs, [this](const TurnsRef& ref) {
    return core::micros(shared_.fair_marks.mark_of(ref.lane->id).available_at);
  });
  connection_->send(sql::create_fair_lane, of_lanes);
  connection_->send(sql::find_fair_lane, of_lanes);
  connection_->send(sql::find_fair_key, of_keys);
  connection_->send(sql::find_first_turn, of_marks);
  const auto answers = connection_->run_or_throw();

  std::map<std::int32_t, core::LaneTurns> by_lane;
  const Rows& lanes = answers[1];
  for (int row = 0; row < lanes.count(); ++row) {
    const core::Turn last = lanes.int8(row, 1);
    by_lane[lanes.int4(row, 0)] = {.now = last, .last = last, .is_empty = true};
  }
  const Rows& found = answers[2];
  for (int row = 0; row < found.count(); ++row) {
    by_lane[found.int4(row, 0)].keys[std::string{found.text(row, 1)}] = {.next = found.int8(row, 2),
                                                                         .next_return = found.int8(row, 3)};
  }
  const Rows& firsts = answers[3];
  for (int row = 0; row < firsts.count(); ++row) {
    core::LaneTurns& turns = by_lane[firsts.int4(row, 0)];
    turns.now = firsts.int8(row, 1);
    turns.is_empty = false;
  }
  std::vector<core::LaneTurns> locked;
  for (const TurnsRef& ref : refs) locked.push_back(std::move(by_lane[ref.lane->id]));
  return locked;
}

void PostgresTransaction::send_turns(const std::vector<TurnsWrite>& writes) {
  if (writes.empty()) return;
  std::vector<FairKey> keys;
  for (const TurnsWrite& write : writes) {
    if (write.turns.is_empty) send_forgetting(*connection_, write);
    for (const auto& [key, turns] : write.turns.keys)
      keys.push_back({.lane = write.lane->id, .key = key, .turns = turns});
  }
  Params of_lanes;
  of_lanes.column(writes, [](const TurnsWrite& write) { return write.lane->id; });
  of_lanes.column(writes, [](const TurnsWrite& write) { return write.turns.last; });
  connection_->send(sql::put_fair_lane, of_lanes);
  Params of_keys;
  of_keys.column(keys, [](const FairKey& key) { return key.lane; });
  of_keys.column(keys, [](const FairKey& key) { return key.key; });
  of_keys.column(keys, [](const FairKey& key) { return key.turns.next; });
  of_keys.column(keys, [](const FairKey& key) { return key.turns.next_return; });
  connection_->send(sql::put_fair_key, of_keys);
}

}  // namespace pawl::store::postgres
