#pragma once
// The nodes, each an engine on a faulty view of the shared store, and the network in front of them. Calls
// queue at a node and are executed as a group. A crash discards the engine at any point, and a new one starts
// later.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "store/faulty.hpp"
#include "tests/sim/call.hpp"
#include "tests/sim/chance.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/stores.hpp"
#include "tests/sim/tally.hpp"
#include "tests/sim/watcher.hpp"

namespace pawl::sim {

// The maximum latency of a slow message.
inline constexpr Duration kSlowMessageMost = std::chrono::seconds{12};

// Ends a node at any point. It is not a StoreError, since the engine must not catch it.
struct Crash {};

// The timeout of a caller.
inline constexpr core::Duration kPatience = std::chrono::seconds{2};

class Cluster {
 public:
  Cluster(const Options& options, Scheduler& scheduler, StoreSource& stores, Watcher& watcher, Tally& tally,
          std::uint64_t seed);

  // Sends the command to a random node. Calls `done` once, later: with the answer, or with nullptr after the
  // timeout.
  void send(core::Command command, Duration patience, Call::Done done);

  // From now on there are no faults, and all nodes restart.
  void heal();
  [[nodiscard]] std::int64_t sweeps() const { return sweeps_; }

 private:
  struct Node;

  // The faults of the store's verbs at one node.
  class Faults final : public store::FaultPlan {
   public:
    Faults(Cluster& cluster, std::uint64_t seed) : cluster_(cluster), chance_(seed) {}
    void before(store::Verb verb) override;
    void begun(const store::Transaction& transaction) override;
    void committed(const store::WriteSet& writes, const store::Transaction& transaction) override;

   private:
    [[noreturn]] void crash(Fault fault);
    [[noreturn]] void fail(store::StoreError::Kind kind, Fault fault);

    Cluster& cluster_;
    Chance chance_;
    Duration outage_until_{0};
  };

  struct Node {
    int index = 0;
    bool is_up = false;
    int incarnation = 0;
    bool is_group_due = false;
    Duration monotonic_offset{};
    std::unique_ptr<SimClock> clock;  // off by up to an hour or so, which must not matter
    std::unique_ptr<Faults> faults;
    std::unique_ptr<testing::SeededRandom> random;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<engine::Engine> engine;
    std::vector<CallPtr> inbox;
    std::map<std::uint64_t, CallPtr> accepted;  // but not answered
  };
  struct Answered {
    CallPtr call;
    core::Result<core::Answer> answer;
  };

  void start(Node& node);
  void crash(Node& node);
  void arrive(const CallPtr& call);
  void accept(Node& node, const CallPtr& call);
  void run_group(Node& node);
  void tick(Node& node, int incarnation);
  [[nodiscard]] Duration look(Node& node);
  // Runs `work` on the node's engine, then passes the answers to the watcher and the network.
  template <typename Work>
  void execute(Node& node, const std::vector<CallPtr>& calls, Work work);
  [[nodiscard]] core::Reply reply_to(const CallPtr& call);
  void answer(Node& node, const Answered& answered);
  void deliver(const CallPtr& call, core::Result<core::Answer> answer);
  void give_up_later(const CallPtr& call);
  [[nodiscard]] Duration latency(const CallPtr& call);

  const Options& options_;
  Scheduler& scheduler_;
  StoreSource& stores_;
  Watcher& watcher_;
  Tally& tally_;
  Chance chance_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Answered> answered_;
  std::uint64_t last_call_ = 0;
  std::int64_t sweeps_ = 0;
  bool is_healed_ = false;
};

}  // namespace pawl::sim
