#pragma once
// A private PostgreSQL server that a campaign can crash and restart, and a standby that can take over. The
// destructor removes the data folder.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/process.hpp"

namespace pawl::chaos {

struct ServerOptions {
  std::vector<std::string> settings = {};     // "name=value" each
  std::vector<std::string> environment = {};  // "NAME=value" each
};

class PrivatePostgres {
 public:
  // In a new folder below `folder`.
  explicit PrivatePostgres(const std::string& folder, ServerOptions options = {});
  enum class Replication : std::uint8_t { synchronous, asynchronous };
  // Creates a standby of `primary`. With synchronous replication, the primary acknowledges commits from now
  // on only when the standby has them on disk.
  PrivatePostgres(const std::string& folder, const PrivatePostgres& primary,
                  Replication replication = Replication::synchronous);
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  ~PrivatePostgres();

  [[nodiscard]] int port() const { return port_; }
  // With a port that leads to the server, directly or through a proxy.
  [[nodiscard]] std::string conninfo(int port) const;
  // Like `pg_ctl stop -m immediate`: no clean shutdown, and the next start recovers from the log.
  void stop_immediately();
  // Returns when the server accepts connections.
  void start();
  // Returns when all server processes but the postmaster have ended and restarted, and the server accepts
  // connections.
  void await_crash() const;
  // `save` restarts the server and keeps a copy of all data. `go_back` restores it and loses all later
  // commits, as the promotion of a lagging standby does.
  void save();
  void go_back();
  // The standby is the primary when this returns.
  void promote();
  // All earlier commits are on disk when this returns, also with `synchronous_commit = off`.
  void flush() const;
  [[nodiscard]] bool has_unflushed_log() const;
  // Waits until the standby has received all earlier commits.
  void await_received_by(const PrivatePostgres& standby) const;
  // Cancels all commits that wait for a synchronous standby, or terminates their sessions. Returns their
  // number.
  [[nodiscard]] int end_sync_waits(bool terminate) const;

 private:
  [[nodiscard]] std::string data() const { return folder_ + "/data"; }
  void await_connections() const;
  // Throws the server's error.
  void execute(const std::string& sql) const;
  [[nodiscard]] std::string value(const std::string& sql) const;

  ServerOptions options_;
  std::string folder_;
  std::string log_;
  std::string programs_;
  std::string user_;
  std::string password_;
  int port_;
  std::unique_ptr<Process> server_;
};

// A loopback port that is free at the moment.
[[nodiscard]] int free_port();

}  // namespace pawl::chaos
