#pragma once
// Nodes: the servers and embedded engines that work on one store, each start of a process a node of its own.
// One of them is the leader, by a lease.
//
// Always: at most one leader at any time of the store; the term rises whenever leadership is taken anew.

#include <cstdint>
#include <optional>
#include <string>

#include "core/record.hpp"

namespace pawl::core {

inline constexpr Duration kLeaderTtl = std::chrono::seconds{30};

// What a node says of itself.
struct NodeIdentity {
  std::string node_id = {};  // of this start of the process, never of the host
  std::string hostname = {};
  std::string version = {};
};
// Leadership as it stands; nobody leads after `until`.
struct Leadership {
  std::string node_id = {};
  std::int64_t term = 0;
  TimePoint until = {};

  bool operator==(const Leadership&) const = default;
};

struct NodeStatus {
  std::string node_id = {};
  std::string hostname = {};
  TimePoint started_at = {};
  TimePoint heartbeat_at = {};
  bool is_leader = false;
  std::optional<TimePoint> leader_until = {};  // the leader's
  std::int64_t term = 0;                       // the leader's
  std::string version = {};
  Duration clock_skew = {};  // its clock less the store's, at its last sign of life; nothing goes by it

  bool operator==(const NodeStatus&) const = default;
};

[[nodiscard]] RecordRef node_ref(const std::string& node_id);
[[nodiscard]] RecordRef leader_ref();
[[nodiscard]] Leadership leadership_from(const std::optional<Record>& record);
// As it stands at `now`.
[[nodiscard]] NodeStatus node_at(const Record& record, const Leadership& leadership, TimePoint now);

// Both are shown the node's record and the leader's.
// A sign of life: leadership is prolonged by who has it and taken by who finds it free. Answers with the
// leadership, which `leadership_from` reads.
struct NodeBeat {
  NodeIdentity identity = {};
  Duration ttl = kLeaderTtl;
  TimePoint clock = {};  // what the node's own says
};
[[nodiscard]] Result<RecordDecision> decide_beat(const NodeBeat& beat, FoundRecords found, TimePoint now);
// Good-bye: another may lead at once.
[[nodiscard]] Result<RecordDecision> decide_leave(const std::string& node_id, FoundRecords found,
                                                  TimePoint now);
[[nodiscard]] Leadership leadership_from(const RawJson& answer);

}  // namespace pawl::core
