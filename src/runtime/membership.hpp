#pragma once
// This process as a node among those that work on the store: it sends heartbeats, leads while it holds the
// leader lease, and hands the lease over when it leaves. One thread at a time; `is_leader` is thread-safe.
//
// Invariant: while the outcome of a heartbeat is unknown, this node does not lead.

#include <atomic>
#include <string>

#include "core/base/env.hpp"
#include "core/records/node.hpp"
#include "engine/engine.hpp"

namespace pawl::runtime {

struct NodeOptions {
  std::string hostname = {};  // empty: the machine's
  std::string version = {};
  core::Duration leader_ttl = core::kLeaderTtl;
};

class Membership {
 public:
  Membership(engine::Engine& engine, core::Clock& clock, core::Random& random, NodeOptions options);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
  ~Membership() { leave(); }

  // Sends a heartbeat if one is due.
  void beat_if_due();
  void leave();

  [[nodiscard]] const std::string& node_id() const { return beat_.identity.node_id; }
  // Judged by this node's own clock, so that leadership ends a little early rather than late.
  [[nodiscard]] bool is_leader() const;

 private:
  void execute(core::DecideRecords decide);

  engine::Engine& engine_;
  core::Clock& clock_;
  core::NodeBeat beat_;
  bool has_joined_ = false;
  core::MonotonicTime next_beat_ = {};
  std::atomic<core::MonotonicTime> leads_until_ = {};
};

}  // namespace pawl::runtime
