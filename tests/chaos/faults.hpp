#pragma once
// What goes wrong, by a seed: each kind once in every round, in an order and on nodes by chance, for times by
// chance. A fault counts when it was seen to land.

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
  kill,              // SIGKILL, and started again
  kill_the_leader,   // the same to the leader, within 5 ms of the time of a schedule
  stop,              // SIGTERM
  pause,             // SIGSTOP for longer than any lease
  close,             // the way to the database is cut: connections are ended,
  stall,             // hold everything back,
  drop,              // or swallow it
  restart_database,  // SIGQUIT, as `pg_ctl restart -m immediate` does
  fail_over,         // the primary is lost for good, and its standby takes over: once, at the end

  exhaust_descriptors,  // a node may open no more files, while clients connect and stay idle
  replace_file,         // SQLite: the database or its log is moved away or replaced, and put back
  cancel_sync_waits,    // the synchronous standby is away, and commits that wait for it are canceled

  // In campaigns of their own: acknowledged work is lost with the end of the log, as documented.
  promote_asynchronous,  // like fail_over, with an asynchronous standby that was away
  crash_unflushed,       // the database with `synchronous_commit = off` crashes

  // The wall clock is stepped by half a minute or an hour, while monotonic clocks go on: of the database
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

  // For so long, and until each kind has landed. A standby takes over last.
  void happen(std::chrono::milliseconds time);
  // Every kind that is to happen, and how often it landed.
  [[nodiscard]] const std::map<Fault, int>& landed() const { return landed_; }

 private:
  void happen_once(Fault fault, int node);
  void kill(int node, int signal);
  // It stays away until another leads.
  void kill_the_leader();
  void await_a_slot();
  [[nodiscard]] std::optional<int> leader();
  void pause(int node);
  void cut(Fault fault, int node);
  // While something else is wrong with one node, another may be killed too.
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
  // Until each of the nodes has written something; all nodes if none is given.
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
