#pragma once
// Nodes (`pawl serve`, real processes) on one store, and what can be done to them. One thread does it, the
// one that made the cluster; addresses may be asked for from any.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/private_postgres.hpp"
#include "tests/chaos/process.hpp"
#include "tests/chaos/proxy.hpp"

namespace pawl::chaos {

enum class StoreKind : std::uint8_t { postgres, sqlite };
[[nodiscard]] std::string to_string(StoreKind kind);

inline constexpr int kNodes = 3;
inline constexpr std::chrono::milliseconds kLeaderTtl{2'000};

// What a commit survives. The last two lose the end of the log, as documented (docs/guide/nodes.md).
enum class Durability : std::uint8_t {
  synchronous,           // of the primary: a standby has it
  asynchronous_standby,  // of the server's crash, but not of the primary's loss
  not_flushed,           // of neither: synchronous_commit = off
};

struct ClusterOptions {
  StoreKind kind = StoreKind::postgres;
  Durability durability = Durability::synchronous;
  bool has_own_clock = false;  // of the store: it can be stepped, by libfaketime
};

class Cluster {
 public:
  // All nodes serve when it returns.
  Cluster(const ClusterOptions& options, std::string binary, std::string folder);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  [[nodiscard]] StoreKind kind() const { return options_.kind; }
  [[nodiscard]] const ClusterOptions& options() const { return options_; }
  [[nodiscard]] const std::string& address(int node) const { return nodes_.at(index(node)).address; }
  // What another program opens the store by, past the proxies.
  [[nodiscard]] std::string store() const;
  [[nodiscard]] std::string conninfo() const;
  [[nodiscard]] std::string sqlite_file() const { return folder_ + "/pawl.db"; }

  // Waits until it serves again. A store that is away meanwhile is no reason to give up.
  void start(int node);
  // The id by which it is known to the others since its last start.
  [[nodiscard]] const std::string& id_of(int node) const { return nodes_.at(index(node)).id; }
  [[nodiscard]] Process& process(int node) { return *nodes_.at(index(node)).process; }
  // What the node's ways to the primary and to the standby do. How many connections that mode has hurt so
  // far.
  void set_ways(int node, Proxy::Mode mode);
  [[nodiscard]] int hurt(int node, Proxy::Mode mode) const { return nodes_.at(index(node)).way->hurt(mode); }
  [[nodiscard]] PrivatePostgres& primary() { return *primary_; }
  [[nodiscard]] PrivatePostgres& standby() { return *standby_; }
  // The store's wall clock is ahead of this machine's by this from now on. Monotonic clocks are not touched.
  void set_clock(std::chrono::seconds ahead);
  // Lost for good, and nobody answers where it was; the standby takes its place. Nothing is done to nodes
  // after that.
  void fail_over();
  [[nodiscard]] std::string log_of(int node) const {
    return folder_ + "/node-" + std::to_string(node) + ".log";
  }

 private:
  struct Node {
    std::unique_ptr<Proxy> way;  // to the primary; none on SQLite
    std::unique_ptr<Proxy> way_to_standby;
    std::unique_ptr<Process> process;
    std::string listen = "127.0.0.1:0";
    std::string address;
    std::string id;
  };

  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  [[nodiscard]] std::string store_of(int node) const;
  // What makes a program read the time of `set_clock`.
  [[nodiscard]] std::vector<std::string> clock_environment() const;
  [[nodiscard]] std::string clock_file() const { return folder_ + "/clock"; }
  // Whichever of the two takes writes.
  [[nodiscard]] std::string conninfo_by(int port, int standby_port) const;
  // True when it serves; false when it ended instead.
  bool await_serving(Node& node, const std::string& log, std::size_t said_before);

  ClusterOptions options_;
  std::string binary_;
  std::string folder_;
  std::unique_ptr<PrivatePostgres> primary_;
  std::unique_ptr<PrivatePostgres> standby_;
  std::vector<Node> nodes_{kNodes};
};

}  // namespace pawl::chaos
