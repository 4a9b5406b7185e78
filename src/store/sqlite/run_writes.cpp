#include "store/sqlite/run_writes.hpp"

#include "core/run/run_transitions.hpp"
#include "store/codec.hpp"
#include "store/run_codec.hpp"
#include "store/sqlite/bulk_insert.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

using core::RunId;

std::optional<core::TimePoint> deadline_of(const core::Run& run) {
  return core::may_move(run.state, core::RunState::failing) ? run.deadline_at : std::nullopt;
}

[[noreturn]] void lost_race(const char* what) { throw StoreError{StoreError::Kind::retry, what}; }

void insert_run(Connection& connection, const RunWrite& write) {
  const core::Run& run = *write.run;
  const core::RunFacts& facts = run.facts;
  std::optional<core::Uuid> parent;
  if (facts.parent) parent = facts.parent->run_id;
  connection.statement(sql::insert_run)
      .run(facts.id, facts.ns, facts.workflow, facts.run_key, parent, run.created_at,
           Copied{encode_labels(facts.labels)}, encode_run_facts(facts));
  for (const auto& [name, value] : facts.labels)
    connection.statement(sql::insert_run_label).run(facts.ns, name, value, facts.id);
  connection.statement(sql::insert_run_state)
      .run(facts.id, core::to_string(run.state), run.sequence, run.updated_at, deadline_of(run),
           core::is_retrying(run), write.events.back().hash, encode_run_standing(run), run.output,
           write.may_omit.nodes);
}

void update_run(Connection& connection, const RunWrite& write) {
  const core::Run& run = *write.run;
  const std::string standing = encode_run_standing(run);
  const std::string& hash = write.events.back().hash;
  const int advanced = core::is_closed(run.state)
                           ? 0
                           : connection.statement(sql::advance_run_state)
                                 .run(run.sequence, run.updated_at, hash, standing, run.output,
                                      write.may_omit.nodes, run.facts.id, write.row_sequence,
                                      core::to_string(run.state), deadline_of(run), core::is_retrying(run));
  if (advanced == 1) return;
  const int changed = connection.statement(sql::update_run_state)
                          .run(core::to_string(run.state), run.sequence, run.updated_at, deadline_of(run),
                               core::is_retrying(run), hash, standing, run.output, write.may_omit.nodes,
                               run.facts.id, write.row_sequence);
  if (changed != 1) lost_race("a run changed since it was loaded");
}

// A part of a run, with the id of the run.
template <typename Part>
struct PartOfRun {
  RunId run;
  const Part* part;
};
using NodeOfRun = PartOfRun<core::Node>;
using EventOfRun = PartOfRun<RunWrite::Event>;

template <typename Part>
std::vector<const Part*> pointers_to(const std::vector<Part>& parts) {
  std::vector<const Part*> pointers;
  pointers.reserve(parts.size());
  for (const Part& part : parts) pointers.push_back(&part);
  return pointers;
}

// For all runs together: starting a statement costs as much as writing a row.
void write_nodes(Connection& connection, const std::vector<RunWrite>& writes) {
  std::vector<NodeOfRun> nodes;
  for (const RunWrite& write : writes) {
    if (write.may_omit.row || write.may_omit.nodes) continue;
    for (const core::Node* node : write.nodes) nodes.push_back({write.run->facts.id, node});
  }
  insert_rows<NodeOfRun>(
      connection, sql::put_node, pointers_to(nodes), [](Statement& into, const NodeOfRun& one) {
        const core::Node& node = *one.part;
        into.add_row(one.run, std::int64_t{node.key.index}, node.key.item, core::to_string(node.state),
                     node.timer_at, Copied{encode_node(node)}, node.output);
      });
}

void write_events(Connection& connection, const std::vector<RunWrite>& writes) {
  std::vector<EventOfRun> events;
  for (const RunWrite& write : writes)
    for (const RunWrite::Event& event : write.events) events.push_back({write.run->facts.id, &event});
  const std::size_t inserted = insert_rows<EventOfRun>(
      connection, sql::insert_event, pointers_to(events), [](Statement& into, const EventOfRun& one) {
        const core::RunEvent& event = *one.part->event;
        into.add_row(one.run, event.sequence, core::to_string(event.type), event.at, event.caused_by,
                     event.actor.type, event.actor.id, event.trace_id, event.span_id, one.part->hash,
                     one.part->payload);
      });
  if (inserted != events.size()) lost_race("a run has changed since it was loaded");
}

void write_signals(Connection& connection, const RunWrite& write) {
  for (const core::Signal* signal : write.signals) {
    std::optional<std::int64_t> node;
    std::optional<std::int64_t> item;
    if (signal->consumed_by) {
      node = signal->consumed_by->index;
      item = signal->consumed_by->item;
    }
    connection.statement(sql::put_signal)
        .run(write.run->facts.id, signal->sequence, signal->name, signal->idempotency_key, node, item,
             signal->payload);
  }
}

void write_key(Connection& connection, const RunKeyWrite& write) {
  const RunKeyRef& ref = write.ref;
  const int changed =
      write.instead_of
          ? connection.statement(sql::update_run_key)
                .run(write.run, ref.ns, ref.workflow, ref.key, *write.instead_of)
          : connection.statement(sql::insert_run_key).run(ref.ns, ref.workflow, ref.key, write.run);
  if (changed != 1) lost_race("another group has inserted the run key");
}

}  // namespace

void write_runs(Connection& connection, const WriteSet& writes) {
  for (const RunAt& seen : writes.depends_on.runs) {
    Rows row = connection.statement(sql::last_sequence).rows(seen.run);
    if (!row.next() || row.int64() != seen.sequence) lost_race("a run has changed since it was cached");
  }
  for (const RunWrite& write : writes.runs) {
    if (write.may_omit.row) continue;
    write.sequence_before == 0 ? insert_run(connection, write) : update_run(connection, write);
    write_signals(connection, write);
  }
  write_nodes(connection, writes.runs);
  write_events(connection, writes.runs);
  for (const RunKeyWrite& write : writes.run_keys) write_key(connection, write);
}

}  // namespace pawl::store::sqlite
