#include "store/sqlite/clock.hpp"

#include "core/base/canary.hpp"
#include "store/sqlite/records.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

core::ClockState load_clock(Connection& connection) {
  const auto record = find_record(connection, core::clock_ref());
  return record ? core::clock_state_from(record->body) : core::ClockState{};
}

void save_clock(Connection& connection, const core::ClockState& state, core::TimePoint now) {
  if (core::planted(core::Canary::clock_step_not_recorded)) return;
  const core::RecordRef ref = core::clock_ref();
  connection.statement(sql::put_clock)
      .run(core::to_string(ref.kind), ref.ns, ref.key, state.steps, core::encode(state).text, now);
}

}  // namespace pawl::store::sqlite
