#pragma once
// A PostgreSQL of the campaign's own, which may be ended in the worst way and started again, and a standby of
// it that may take over. Their data are in a folder that is gone with its owner.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/process.hpp"

namespace pawl::chaos {

struct ServerOptions {
  std::vector<std::string> settings = {};     // "name=value", each
  std::vector<std::string> environment = {};  // the same
};

class PrivatePostgres {
 public:
  // In a new folder below `folder`.
  explicit PrivatePostgres(const std::string& folder, ServerOptions options = {});
  enum class Replication : std::uint8_t { synchronous, asynchronous };
  // A standby of `primary`. If it is synchronous, the primary acknowledges from now on no commit before the
  // standby has it on disk.
  PrivatePostgres(const std::string& folder, const PrivatePostgres& primary,
                  Replication replication = Replication::synchronous);
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  ~PrivatePostgres();

  [[nodiscard]] int port() const { return port_; }
  // By whichever port leads to it.
  [[nodiscard]] std::string conninfo(int port) const;
  // What `pg_ctl stop -m immediate` does: no good-byes, and the next start recovers from the log.
  void stop_immediately();
  // Returns when it takes connections.
  void start();
  // Returns when all its processes but the first have ended and been started again, and it takes connections.
  void await_crash() const;
  // Keeps a copy of all data, with a restart; and brings that back, as a promoted standby that was behind
  // does: what was committed since is lost.
  void save();
  void go_back();
  // The standby is the primary when this returns.
  void promote();
  // All that was committed before is on disk when this returns, also with `synchronous_commit = off`.
  void flush() const;
  [[nodiscard]] bool has_unflushed_log() const;
  // The standby of this one has received all that was committed before.
  void await_received_by(const PrivatePostgres& standby) const;
  // Cancels, or terminates the sessions of, all commits that wait for a synchronous standby; how many.
  [[nodiscard]] int end_sync_waits(bool terminate) const;

 private:
  [[nodiscard]] std::string data() const { return folder_ + "/data"; }
  void await_connections() const;
  // Throws what the server says if it refuses.
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

// A port of loopback that nobody has at the moment.
[[nodiscard]] int free_port();

}  // namespace pawl::chaos
