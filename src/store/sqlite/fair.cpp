#include "store/sqlite/fair.hpp"

#include "store/sqlite/sql.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

std::optional<core::Fairness> find_fairness(Connection& connection, const core::TaskId& id) {
  Rows row = connection.statement(sql::find_fair_task).rows(id);
  if (!row.next()) return std::nullopt;
  std::string key = row.string();
  return core::Fairness{.key = std::move(key), .weight = row.number()};
}

void write_turns(Connection& connection, const std::vector<TurnsWrite>& writes) {
  for (const TurnsWrite& write : writes) {
    const std::int32_t lane = write.lane->id;
    if (write.turns.is_empty) connection.statement(sql::forget_fair_keys).run(lane);
    connection.statement(sql::put_fair_lane).run(lane, write.turns.last);
    Statement& put_key = connection.statement(sql::put_fair_key);
    for (const auto& [key, turns] : write.turns.keys) put_key.run(lane, key, turns.next, turns.next_return);
  }
}

std::vector<core::LaneTurns> SqliteTransaction::lock_turns(std::span<const TurnsRef> refs) {
  std::vector<core::LaneTurns> locked;
  for (const TurnsRef& ref : refs) {
    core::LaneTurns& turns = locked.emplace_back();
    const std::int32_t lane = ref.lane->id;
    if (Rows row = connection_.statement(sql::find_fair_lane).rows(lane); row.next())
      turns.last = row.int64();
    Rows first = connection_.statement(sql::find_first_turn).rows(lane);
    turns.is_empty = !first.next();
    turns.now = turns.is_empty ? turns.last : first.int64();
    for (const std::string& key : ref.keys) {
      Rows row = connection_.statement(sql::find_fair_key).rows(lane, key);
      if (!row.next()) continue;
      const core::Turn next = row.int64();
      turns.keys[key] = {.next = next, .next_return = row.int64()};
    }
  }
  return locked;
}

}  // namespace pawl::store::sqlite
