#include "store/postgres/replication.hpp"

#include "store/postgres/sql.hpp"

namespace pawl::store::postgres {

void Replication::note_replicated(CommitNumber commit) {
  CommitNumber known = replicated_;
  while (known < commit && !replicated_.compare_exchange_weak(known, commit)) {
  }
}

bool commit_to_standby(Connection& connection) {
  connection.send(sql::begin_write);
  connection.send(sql::touch_log);
  connection.send(sql::commit);
  std::vector<Rows> answers;
  (void)connection.take_warning();
  const bool is_committed = !connection.run(answers);
  return is_committed && !connection.take_warning();
}

}  // namespace pawl::store::postgres
