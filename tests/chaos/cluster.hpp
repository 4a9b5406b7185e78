#pragma once
// Nodes (real `pawl serve` processes) on one store, and operations that disturb them. Only the thread that
// created the cluster may call it, except that any thread may read addresses.

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

// The failures that a commit survives. The last two levels may lose the end of the log, as documented
// (docs/guides/nodes.md).
enum class Durability : std::uint8_t {
  synchronous,           // loss of the primary: a standby has the commit
  asynchronous_standby,  // a crash of the server, but not loss of the primary
  not_flushed,           // neither: synchronous_commit = off
};

struct ClusterOptions {
  StoreKind kind = StoreKind::postgres;
  Durability durability = Durability::synchronous;
  bool has_own_clock = false;  // the store has its own clock, which `set_clock` steps
};

class Cluster {
 public:
  // All nodes serve requests when the constructor returns.
  Cluster(const ClusterOptions& options, std::string binary, std::string folder);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  [[nodiscard]] StoreKind kind() const { return options_.kind; }
  [[nodiscard]] const ClusterOptions& options() const { return options_; }
  [[nodiscard]] const std::string& address(int node) const { return nodes_.at(index(node)).address; }
  // The address for a program that opens the store directly, without the proxies.
  [[nodiscard]] std::string store() const;
  [[nodiscard]] std::string conninfo() const;
  [[nodiscard]] std::string sqlite_file() const { return folder_ + "/pawl.db"; }

  // Waits until the node serves again. Keeps trying while the store is unavailable.
  void start(int node);
  // The node id since its last start.
  [[nodiscard]] const std::string& id_of(int node) const { return nodes_.at(index(node)).id; }
  [[nodiscard]] Process& process(int node) { return *nodes_.at(index(node)).process; }
  // Sets the mode of the node's proxies to the primary and to the standby. `hurt` counts the connections that
  // a mode has affected so far.
  void set_ways(int node, Proxy::Mode mode);
  [[nodiscard]] int hurt(int node, Proxy::Mode mode) const { return nodes_.at(index(node)).way->hurt(mode); }
  [[nodiscard]] PrivatePostgres& primary() { return *primary_; }
  [[nodiscard]] PrivatePostgres& standby() { return *standby_; }
  // From now on the store's wall clock is ahead of this machine's clock by `ahead`. Monotonic clocks are
  // unchanged.
  void set_clock(std::chrono::seconds ahead);
  // The primary is lost for good and its address stops answering; the standby takes over. After this call no
  // fault may be injected into nodes.
  void fail_over();
  [[nodiscard]] std::string log_of(int node) const {
    return folder_ + "/node-" + std::to_string(node) + ".log";
  }

 private:
  struct Node {
    std::unique_ptr<Proxy> way;  // to the primary; null on SQLite
    std::unique_ptr<Proxy> way_to_standby;
    std::unique_ptr<Process> process;
    std::string listen = "127.0.0.1:0";
    std::string address;
    std::string id;
  };

  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  [[nodiscard]] std::string store_of(int node) const;
  // The environment that makes a program read the time of `set_clock`.
  [[nodiscard]] std::vector<std::string> clock_environment() const;
  [[nodiscard]] std::string clock_file() const { return folder_ + "/clock"; }
  // For whichever of the two servers accepts writes.
  [[nodiscard]] std::string conninfo_by(int port, int standby_port) const;
  // Returns true when the node serves, false if its process ended instead.
  bool await_serving(Node& node, const std::string& log, std::size_t said_before);

  ClusterOptions options_;
  std::string binary_;
  std::string folder_;
  std::unique_ptr<PrivatePostgres> primary_;
  std::unique_ptr<PrivatePostgres> standby_;
  std::vector<Node> nodes_{kNodes};
};

}  // namespace pawl::chaos
