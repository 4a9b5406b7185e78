#pragma once
// Nodes: the servers and embedded engines that work on one store; each start of a process is a node of its
// own. One node is the leader, by a lease.
//
// Invariants: there is at most one leader at any store time; the term rises with each new leadership.

#include <cstdint>
#include <optional>
#include <string>

#include "core/records/record.hpp"

namespace pawl::core {

inline constexpr Duration kLeaderTtl = std::chrono::seconds{30};

// How a node describes itself.
struct NodeIdentity {
  std::string node_id = {};  // identifies this start of the process, not the host
  std::string hostname = {};
  std::string version = {};
};
// The current leadership; there is no leader after `until`.
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
  std::optional<TimePoint> leader_until = {};  // only of the leader
  std::int64_t term = 0;                       // only of the leader
  std::string version = {};
  Duration clock_skew = {};  // its clock minus the store's at its last heartbeat; for display only

  bool operator==(const NodeStatus&) const = default;
};

[[nodiscard]] RecordRef node_ref(const std::string& node_id);
[[nodiscard]] RecordRef leader_ref();
[[nodiscard]] Leadership leadership_from(const std::optional<Record>& record);
// The status at `now`.
[[nodiscard]] NodeStatus node_at(const Record& record, const Leadership& leadership, TimePoint now);

// Both decisions receive the node's record and the leader's.
// A heartbeat of a node: the leader extends its lease, and any node can take a free leadership. The answer is
// the leadership, read with `leadership_from`.
struct NodeBeat {
  NodeIdentity identity = {};
  Duration ttl = kLeaderTtl;
  TimePoint clock = {};  // the node's own clock
};
[[nodiscard]] Result<RecordDecision> decide_beat(const NodeBeat& beat, FoundRecords found, TimePoint now);
// Removes the node; another one may become the leader immediately.
[[nodiscard]] Result<RecordDecision> decide_leave(const std::string& node_id, FoundRecords found,
                                                  TimePoint now);
[[nodiscard]] Leadership leadership_from(const RawJson& answer);

}  // namespace pawl::core
