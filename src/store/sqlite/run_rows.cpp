#include "store/sqlite/run_rows.hpp"

#include <fmt/format.h>

#include "store/run_codec.hpp"

namespace pawl::store::sqlite {

core::RunId read_run_id(Rows& row) { return core::RunId{row.task_id()}; }

core::NodeKey read_key(Rows& row) {
  const auto index = static_cast<core::NodeIndex>(row.int64());
  return {.index = index, .item = row.int32()};
}

StoredRun read_run(Rows& row) {
  StoredRun stored;
  RunTexts texts;
  texts.facts = row.text();
  texts.state = row.text();
  const std::int64_t sequence = row.int64();
  const core::TimePoint updated_at = row.time();
  stored.hash = row.string();
  texts.standing = row.text();
  decode_run(texts, stored);
  stored.run.sequence = sequence;
  stored.run.updated_at = updated_at;
  stored.run.output = row.json();
  stored.row = core::mark_of(stored.run);
  stored.row.is_bare = row.boolean();
  if (const core::RunId id = read_run_id(row); !stored.misfit.empty()) stored.run.facts.id = id;
  return stored;
}

core::Node read_node(Rows& row, std::string& misfit) {
  core::Node node{.key = read_key(row)};
  std::string why = decode_node_state(row.text(), node.state);
  node.timer_at = row.optional_time();
  if (const std::string body = decode_node(row.text(), node); why.empty()) why = body;
  node.output = row.json();
  if (!why.empty() && misfit.empty())
    misfit = fmt::format("node {}[{}]: {}", node.key.index, node.key.item, why);
  return node;
}

core::Node read_node(Rows& row) {
  std::string why;
  core::Node node = read_node(row, why);
  if (!why.empty()) refuse_node(node.key, why);
  return node;
}

std::vector<core::Node> read_nodes(Rows& row) {
  std::vector<core::Node> nodes;
  while (row.next()) nodes.push_back(read_node(row));
  return nodes;
}

core::NodeSlice read_slice(Rows& row, const core::NodePage& page, std::string& misfit) {
  core::NodeSlice slice;
  std::size_t bytes = 0;
  while (row.next()) {
    core::Node node = read_node(row, misfit);
    bytes += node.output.text.size();
    const bool fits = slice.nodes.size() < page.nodes && (slice.nodes.empty() || bytes <= page.bytes);
    if (!fits) {
      slice.next = node.key;
      break;
    }
    slice.nodes.push_back(std::move(node));
  }
  return slice;
}

std::vector<core::Signal> read_signals(Rows& row) {
  std::vector<core::Signal> signals;
  while (row.next()) {
    core::Signal& signal = signals.emplace_back();
    signal.sequence = row.int64();
    signal.name = row.string();
    signal.idempotency_key = row.optional_string();
    const auto node = row.optional_int64();
    const auto item = row.optional_int64();
    if (node) {
      signal.consumed_by = {.index = static_cast<core::NodeIndex>(*node),
                            .item = static_cast<std::int32_t>(item.value_or(core::kNoItem))};
    }
    signal.payload = row.json();
  }
  return signals;
}

// An event of an unknown type counts as unreadable. Its type keeps the default; the hash shows the damage.
StoredEvent read_event(Rows& row) {
  StoredEvent stored;
  stored.event.sequence = row.int64();
  const auto type = core::run_event_type_from(row.text());
  if (type) stored.event.type = *type;
  stored.event.at = row.time();
  stored.event.caused_by = row.optional_int64();
  stored.event.actor = {.type = row.string(), .id = row.string()};
  stored.event.trace_id = row.string();
  stored.event.span_id = row.string();
  stored.hash = row.string();
  stored.payload = row.json();
  decode_payload(stored);
  stored.is_readable = stored.is_readable && type;
  return stored;
}

}  // namespace pawl::store::sqlite
