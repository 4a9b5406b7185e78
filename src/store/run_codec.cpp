#include "store/run_codec.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/json/json_envelope.hpp"
#include "core/json/json_reader.hpp"
#include "core/json/json_writer.hpp"
#include "core/task/retry_json.hpp"
#include "store/codec.hpp"
#include "store/store.hpp"

namespace pawl::store {

namespace {

using core::Mistakes;
using core::NodeKey;
using core::ObjectReader;
using core::Writer;

bool is_object(std::string_view text) { return text.starts_with('{') && !core::envelope_error(text); }

// Absent, empty and zero values are not written.
void put(Writer& out, std::string_view name, std::int64_t value) {
  if (value != 0) out.field(name, value);
}
void put(Writer& out, std::string_view name, const std::optional<core::TimePoint>& time) {
  if (time) out.field(name, core::micros(*time));
}
void put(Writer& out, std::string_view name, const std::optional<NodeKey>& key) {
  if (!key) return;
  out.key(name).begin_array().value(std::int64_t{key->index}).value(std::int64_t{key->item}).end_array();
}
void put(Writer& out, const std::optional<core::TaskError>& error, std::string_view name = "error") {
  if (error) out.field(name, core::RawJson{encode_error(*error)});
}

std::int64_t number_of(ObjectReader& in, std::string_view digits, std::string_view name) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  if (const auto [last, error] = std::from_chars(digits.data(), end, value);
      error != std::errc{} || last != end)
    in.mistake(name, "must hold numbers");
  return value;
}

std::int64_t get(ObjectReader& in, std::string_view name) { return in.optional_integer(name).value_or(0); }

std::optional<core::TimePoint> get_time(ObjectReader& in, std::string_view name) {
  const auto micros = in.optional_integer(name);
  return micros ? std::optional{core::time_from_micros(*micros)} : std::nullopt;
}

std::optional<NodeKey> get_key(ObjectReader& in, std::string_view name) {
  if (!in.has(name)) return std::nullopt;
  const auto parts = in.elements(name);
  if (parts.size() != 2) {
    in.mistake(name, "must be the key of a node");
    return std::nullopt;
  }
  return NodeKey{.index = static_cast<core::NodeIndex>(number_of(in, parts[0], name)),
                 .item = static_cast<std::int32_t>(number_of(in, parts[1], name))};
}

std::optional<core::TaskError> get_error(ObjectReader& in, std::string_view name = "error") {
  const core::RawJson error = in.json(name);
  return error.empty() ? std::nullopt : std::optional{decode_error(error.text)};
}

std::string told(const Mistakes& mistakes) { return mistakes.any() ? mistakes.problem().detail : ""; }

constexpr std::array kCounts{&core::RunCounts::blocked,   &core::RunCounts::pending,
                             &core::RunCounts::running,   &core::RunCounts::waiting,
                             &core::RunCounts::completed, &core::RunCounts::failed,
                             &core::RunCounts::skipped,   &core::RunCounts::cancelled};

}  // namespace

std::string encode_run_facts(const core::RunFacts& facts) { return core::payload_of({.run = facts}).text; }

std::string decode_run_facts(std::string_view text, core::RunFacts& facts) {
  if (!is_object(text)) return "its facts are not a JSON object";
  auto data = core::parse_payload(text);
  if (!data) return data.problem().detail;
  if (!data->run) return "it has no facts";
  facts = std::move(*data->run);
  return {};
}

std::string encode_run_standing(const core::Run& run) {
  Writer out;
  out.begin_object();
  if (run.custom_status) out.field("custom_status", *run.custom_status);
  if (run.continued_as) out.field("continued_as", to_string(*run.continued_as));
  put(out, run.error);
  put(out, run.compensation_error, "compensation_error");
  put(out, "deadline_at", run.deadline_at);
  put(out, "wake_at", run.wake_at);
  out.key("counts").begin_array();
  for (const auto count : kCounts) out.value(run.counts.*count);
  out.end_array();
  put(out, "remaining", run.remaining);
  put(out, "retrying", run.retrying);
  put(out, "cancel_requested", run.cancel_requested ? 1 : 0);
  put(out, "stopped_at", run.stopped_at);
  put(out, "undo_top", run.undo_top);
  put(out, "undoable", run.undoable);
  put(out, "rendered_bytes", run.cost.rendered);
  put(out, "scanned_bytes", run.cost.scanned);
  put(out, "deferred", run.deferred);
  put(out, "created_at", std::optional{run.created_at});
  put(out, "started_at", run.started_at);
  put(out, "finished_at", run.finished_at);
  out.end_object();
  return out.take();
}

std::string decode_run_standing(std::string_view text, core::Run& run) {
  if (!is_object(text)) return "its state column is not a JSON object";
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  run.custom_status = in.optional_text("custom_status");
  if (const auto next = core::parse_uuid(in.optional_text("continued_as").value_or("")))
    run.continued_as = core::RunId{*next};
  run.error = get_error(in);
  run.compensation_error = get_error(in, "compensation_error");
  run.deadline_at = get_time(in, "deadline_at");
  run.wake_at = get_time(in, "wake_at");
  const auto counts = in.elements("counts");
  for (std::size_t i = 0; i < kCounts.size() && i < counts.size(); ++i)
    run.counts.*kCounts.at(i) = number_of(in, counts[i], "counts");
  run.remaining = get(in, "remaining");
  run.retrying = get(in, "retrying");
  run.cancel_requested = get(in, "cancel_requested") != 0;
  run.stopped_at = get(in, "stopped_at");
  run.undo_top = get_key(in, "undo_top");
  run.undoable = get(in, "undoable");
  run.cost = {.rendered = get(in, "rendered_bytes"), .scanned = get(in, "scanned_bytes")};
  run.deferred = get_key(in, "deferred");
  run.created_at = get_time(in, "created_at").value_or(core::TimePoint{});
  run.started_at = get_time(in, "started_at");
  run.finished_at = get_time(in, "finished_at");
  return told(mistakes);
}

std::string encode_node(const core::Node& node) {
  Writer out;
  out.begin_object();
  put(out, "unmet", node.unmet);
  put(out, "has_lead", node.has_lead ? 1 : 0);
  put(out, "since", node.since);
  put(out, "attempt", node.attempt);
  if (node.task_id) out.field("task_id", to_string(*node.task_id));
  if (node.child_id) out.field("child_id", to_string(*node.child_id));
  put(out, node.error);
  if (node.items) out.field("items", std::int64_t{*node.items});
  put(out, "items_left", node.items_left);
  put(out, "items_failed", node.items_failed);
  put(out, "undo_before", node.undo_before);
  if (!node.followers.empty()) {
    out.key("followers").begin_array();
    for (const core::NodeIndex follower : node.followers) out.value(std::int64_t{follower});
    out.end_array();
  }
  put(out, "scheduled_at", node.scheduled_at);
  put(out, "finished_at", node.finished_at);
  if (!node.name.empty()) out.field("name", node.name);
  if (node.kind) out.field("kind", core::to_string(*node.kind));
  if (node.retry) {
    out.key("retry");
    core::write_retry(out, *node.retry);
  }
  put(out, "attempts_before", node.attempts_before);
  if (!node.awaits.empty()) out.field("awaits", node.awaits);
  put(out, "nothing_to_undo", node.nothing_to_undo ? 1 : 0);
  put(out, "undos_declared_at", node.undos_declared_at);
  out.end_object();
  return out.take();
}

std::string decode_node(std::string_view text, core::Node& node) {
  if (!is_object(text)) return "its body is not a JSON object";
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  core::narrow_into(in, "unmet", node.unmet);
  node.has_lead = get(in, "has_lead") != 0;
  node.since = get(in, "since");
  core::narrow_into(in, "attempt", node.attempt);
  if (const auto id = in.optional_uuid("task_id")) node.task_id = core::TaskId{*id};
  if (const auto id = in.optional_uuid("child_id")) node.child_id = core::RunId{*id};
  node.error = get_error(in);
  if (in.has("items")) core::narrow_into(in, "items", node.items.emplace());
  core::narrow_into(in, "items_left", node.items_left);
  core::narrow_into(in, "items_failed", node.items_failed);
  node.undo_before = get_key(in, "undo_before");
  if (in.has("followers")) {
    for (const std::string_view one : in.elements("followers"))
      node.followers.push_back(static_cast<core::NodeIndex>(number_of(in, one, "followers")));
  }
  node.scheduled_at = get_time(in, "scheduled_at");
  node.finished_at = get_time(in, "finished_at");
  node.name = in.optional_text("name").value_or("");
  if (const auto kind = in.optional_text("kind")) node.kind = core::step_kind_from(*kind);
  in.optional_object("retry", [&](ObjectReader& retry) { node.retry = core::read_retry_policy(retry); });
  core::narrow_into(in, "attempts_before", node.attempts_before);
  node.awaits = in.optional_text("awaits").value_or("");
  node.nothing_to_undo = get(in, "nothing_to_undo") != 0;
  node.undos_declared_at = get(in, "undos_declared_at");
  return told(mistakes);
}

std::string decode_run_state(std::string_view name, core::RunState& state) {
  const auto known = core::run_state_from(name);
  if (!known) return fmt::format("its state is '{}', which is unknown", name);
  state = *known;
  return {};
}

std::string decode_node_state(std::string_view name, core::NodeState& state) {
  const auto known = core::node_state_from(name);
  if (!known) return fmt::format("its state is '{}', which is unknown", name);
  state = *known;
  return {};
}

void decode_run(const RunTexts& texts, StoredRun& stored) {
  stored.misfit = decode_run_facts(texts.facts, stored.run.facts);
  if (stored.misfit.empty()) stored.misfit = decode_run_state(texts.state, stored.run.state);
  if (stored.misfit.empty()) stored.misfit = decode_run_standing(texts.standing, stored.run);
}

void refuse_node(core::NodeKey key, const std::string& why) {
  throw StoreError{StoreError::Kind::internal,
                   fmt::format("node {}[{}] of a run cannot be read: {}", key.index, key.item, why)};
}

void decode_payload(StoredEvent& stored) {
  const std::string& text = stored.payload.text;
  stored.is_readable = is_object(text);
  if (!stored.is_readable) return;
  auto data = core::parse_payload(text);
  stored.is_readable = data.ok();
  if (data) stored.event.data = std::move(*data);
}

std::string held_line(const core::TaskId& id) { return "\n" + to_string(id); }

}  // namespace pawl::store
