#pragma once
// Seeded fault injection: each kind once in every round, in random order, on random nodes, for random times.
// A fault counts only if its effect was observed ("landed").

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/chaos/client.hpp"
#include "tests/chaos/cluster.hpp"
#include "tests/chaos/ledger.hpp"
#include "tests/support/env.hpp"

namespace pawl::chaos {

enum class Fault : std::uint8_t {
  kill,              // SIGKILL, then a restart
  kill_the_leader,   // the same for the leader, within 5 ms of a schedule's slot
  stop,              // SIGTERM
  pause,             // SIGSTOP for longer than any lease
  close,             // the connections to the database are closed,
  stall,             // held back,
  drop,              // or their bytes are dropped
  restart_database,  // SIGQUIT, as `pg_ctl restart -m immediate` does
  fail_over,         // the primary is lost for good, and its standby takes over: once, at the end

  exhaust_descriptors,  // a node cannot open more files, while clients hold idle connections
  replace_file,         // SQLite: the database or its WAL is moved away or replaced, and then restored
  cancel_sync_waits,    // the synchronous standby is down, and waiting commits are canceled

  // In campaigns of their own: acknowledged work is lost with the end of the log, as documented.
  promote_asynchronous,  // like fail_over, with an asynchronous standby that was down
  crash_unflushed,       // the database crashes with `synchronous_commit = off`

  // Steps the wall clock by half a minute or an hour, without changing monotonic clocks: of the database
  // server, or on SQLite of the nodes.
  step_database_clock,
  step_node_clock,
};
inline constexpr std::array<std::string_view, 16> kFaultNames{"node killed",
                                                              "leader killed at a slot",
                                                              "node stopped",
                                                              "node paused",
                                                              "connection closed",
                                                              "connection stalled",
                                                              "connection dropped",
                                                              "database restarted",
                                                              "standby promoted",
                                                              "descriptors exhausted",
                                                              "file replaced",
                                                              "sync wait canceled",
                                                              "async promotion",
                                                              "synchronous_commit = off crash",
                                                              "database clock stepped",
                                                              "node clock stepped"};

[[nodiscard]] constexpr std::string_view name_of(Fault fault) {
  return kFaultNames.at(static_cast<std::size_t>(fault));
}

class Faults {
 public:
  struct Place {
    Cluster& cluster;
    Ledger& ledger;
    CallCounts& counts;
  };
  Faults(Place place, std::uint64_t seed, std::vector<Fault> kinds);

  // Injects faults for `time`, and until each kind has landed. A failover comes last.
  void happen(std::chrono::milliseconds time);
  // Every kind to inject, and how often it landed.
  [[nodiscard]] const std::map<Fault, int>& landed() const { return landed_; }

 private:
  void happen_once(Fault fault, int node);
  void kill(int node, int signal);
  // The killed leader stays down until another node leads.
  void kill_the_leader();
  void await_a_slot();
  [[nodiscard]] std::optional<int> leader();
  void pause(int node);
  void cut(Fault fault, int node);
  // While one node is disturbed, kills another one with some probability.
  void maybe_kill_another(int node);
  void restart_database();
  void fail_over();
  void exhaust_descriptors(int node);
  void replace_file();
  void cancel_sync_waits();
  void promote_asynchronous();
  void crash_unflushed();
  void step_clock(Fault fault);
  void begins(Fault fault);
  // Waits until a write through `node` succeeds, or through every node if none is given.
  void await_writes(Fault fault, Time since, std::optional<int> node = {});
  void shuffle();
  void wait(int least, int most);

  Cluster& cluster_;
  Ledger& ledger_;
  CallCounts& counts_;
  Client client_;
  testing::SeededRandom& chance_;
  std::vector<Fault> kinds_;
  std::optional<Fault> last_;
  std::map<Fault, int> landed_;
  std::chrono::seconds clock_ahead_ = {};
};

}  // namespace pawl::chaos
