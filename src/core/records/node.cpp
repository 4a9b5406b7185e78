#include "core/records/node.hpp"

#include "core/base/canary.hpp"
#include "core/json/body.hpp"

namespace pawl::core {

namespace {

// A node that has sent no heartbeat for this many leader leases is lost.
constexpr int kLostAfterTtls = 3;

RawJson body_of(const Leadership& leadership) {
  Body body;
  body.put("node_id", leadership.node_id);
  body.put("term", leadership.term);
  body.put("until", leadership.until);
  return body.text();
}

RawJson body_of(const NodeBeat& beat, TimePoint started_at, TimePoint heartbeat_at) {
  const NodeIdentity& identity = beat.identity;
  Body body;
  body.put("node_id", identity.node_id);
  body.put("hostname", identity.hostname);
  body.put("version", identity.version);
  body.put("started_at", started_at);
  body.put("heartbeat_at", heartbeat_at);
  body.put("clock_skew_us", (beat.clock - heartbeat_at).count());
  return body.text();
}

}  // namespace

RecordRef node_ref(const std::string& node_id) { return {.kind = RecordKind::node, .key = node_id}; }

RecordRef leader_ref() { return {.kind = RecordKind::leader, .key = "leader"}; }

Leadership leadership_from(const RawJson& answer) {
  const Body body{answer};
  return {.node_id = body.text_of("node_id"),
          .term = body.get<std::int64_t>("term"),
          .until = body.time_of("until")};
}

Leadership leadership_from(const std::optional<Record>& record) {
  return record ? leadership_from(record->body) : Leadership{};
}

NodeStatus node_at(const Record& record, const Leadership& leadership, TimePoint now) {
  const Body body{record.body};
  NodeStatus node{.node_id = body.text_of("node_id"),
                  .hostname = body.text_of("hostname"),
                  .started_at = body.time_of("started_at"),
                  .heartbeat_at = body.time_of("heartbeat_at"),
                  .version = body.text_of("version"),
                  .clock_skew = Duration{body.optional_of<std::int64_t>("clock_skew_us").value_or(0)}};
  node.is_leader = leadership.node_id == node.node_id && now < leadership.until;
  if (node.is_leader) {
    node.leader_until = leadership.until;
    node.term = leadership.term;
  }
  return node;
}

Result<RecordDecision> decide_beat(const NodeBeat& beat, FoundRecords found, TimePoint now) {
  const std::string& node_id = beat.identity.node_id;
  RecordDecision decision;
  const TimePoint started_at = found[0] ? found[0]->created_at : now;
  decision.changes.push_back({.ref = node_ref(node_id),
                              .body = body_of(beat, started_at, now),
                              .expires_at = now + kLostAfterTtls * beat.ttl});
  Leadership leadership = leadership_from(found[1]);
  const bool is_free = leadership.until <= now || planted(Canary::leadership_taken);
  if (is_free)
    leadership = {.node_id = node_id, .term = leadership.term + (planted(Canary::term_not_raised) ? 0 : 1)};
  if (leadership.node_id == node_id) {
    leadership.until = now + beat.ttl;
    decision.changes.push_back({.ref = leader_ref(), .body = body_of(leadership)});
  }
  decision.answer = body_of(leadership);
  return decision;
}

Result<RecordDecision> decide_leave(const std::string& node_id, FoundRecords found, TimePoint now) {
  RecordDecision decision;
  if (found[0]) decision.changes.push_back({.ref = node_ref(node_id)});
  Leadership leadership = leadership_from(found[1]);
  if (leadership.node_id == node_id && now < leadership.until) {
    leadership.until = now;
    decision.changes.push_back({.ref = leader_ref(), .body = body_of(leadership)});
  }
  decision.answer = body_of(leadership);
  return decision;
}

}  // namespace pawl::core
