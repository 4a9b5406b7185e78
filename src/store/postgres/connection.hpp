#pragma once
// A connection in pipeline mode: statements are added, sent together and answered together. It reconnects
// when it is used after a loss, with growing, jittered delays between attempts. A server that is silent for
// too long counts as lost: its machine may still keep the connection open although the server never answers.
//
// Only `run_or_throw` and `connect_or_throw` throw. One thread at a time.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/postgres/failure.hpp"
#include "store/postgres/jitter.hpp"
#include "store/postgres/params.hpp"
#include "store/postgres/rows.hpp"
#include "store/postgres/server_lives.hpp"

struct pg_conn;  // of libpq

namespace pawl::store::postgres {

// State that all connections of a store share.
struct Server {
  std::string conninfo;
  Jitter jitter;
  ServerLives lives;
  // A pooler was seen to route statements to different server processes: from then on statements are sent
  // unprepared.
  std::atomic<bool> is_pooled = false;
  const core::Duration silence_max;  // for a server that should answer immediately

  Server(std::string text, core::Random* random, core::Duration silent_at_most = std::chrono::seconds{15})
      : conninfo(std::move(text)), jitter(random), silence_max(silent_at_most) {}
};

struct CloseConnection {
  void operator()(pg_conn* connection) const;
};

class Connection {
 public:
  explicit Connection(Server& server) : Connection(server, server.silence_max) {}
  // For statements that take longer.
  Connection(Server& server, core::Duration silence_max) : server_(server), silence_max_(silence_max) {}

  enum class When : std::uint8_t { backed_off, at_once };
  // Does nothing when connected, unless the server has begun a new life since: then it reconnects. During a
  // backoff delay it fails without an attempt, unless `when` is `at_once`.
  [[nodiscard]] std::optional<Failure> connect(When when = When::backed_off);
  // True if it had to reconnect: a failure after that is not due to a stale connection.
  bool connect_or_throw();
  [[nodiscard]] bool is_connected() const { return connection_ != nullptr; }
  void drop();

  // Adds a statement to the pipeline. `sql` must have static storage: its address is the cache key.
  void send(std::string_view sql, const Params& params = {});
  // The same for a user's statement, with values and results as text.
  void send_text(const std::string& statement, const std::vector<std::optional<std::string>>& values);
  // As of the last run.
  [[nodiscard]] bool is_in_transaction() const;
  // The number of added statements, which is the index of the next one's answer.
  [[nodiscard]] std::size_t sent() const;
  // Sends the added statements and waits for all answers: one for each statement, or the first failure, after
  // which the server has skipped the rest. `silence_max` is for statements that take longer than usual.
  [[nodiscard]] std::optional<Failure> run(std::vector<Rows>& answers,
                                           std::optional<core::Duration> silence_max = {});
  [[nodiscard]] std::vector<Rows> run_or_throw();

  // Delays the statements that `ask` adds until the next run, which sends them first; `take` gets their
  // answers. A rollback before that sends nothing, because the server has received nothing.
  using Ask = std::function<void(Connection&)>;
  using Take = std::function<void(std::span<const Rows> answers)>;
  void hold_back(Ask ask, Take take);
  [[nodiscard]] bool is_holding_back() const { return ask_ != nullptr; }
  // Connected, and no unsolicited input, such as the end of the connection, is pending.
  [[nodiscard]] bool is_quiet() const;

  // Runs text with any number of statements, outside the pipeline. `silence_max` as above.
  [[nodiscard]] std::optional<Failure> run_script(const std::string& text,
                                                  std::optional<core::Duration> silence_max = {});
  // Whether the server has sent a warning since the last call. After a commit it means that the synchronous
  // standby may not have the commit.
  [[nodiscard]] bool take_warning() { return std::exchange(*has_warned_, false); }
  // Rolls back the transaction; drops the connection if that fails.
  void roll_back();

  // Changes after a failover, and after a crash of the same server.
  [[nodiscard]] const std::string& server_identity() const { return server_identity_; }
  [[nodiscard]] std::uint64_t life() const { return life_; }
  // Throws `retry` if the answer came from another server than the connection was opened to, because a pooler
  // has switched to it. All cached data is dropped then.
  void expect_identity(std::string_view identity);
  // Ends this life, because the server has lost rows that it had in it.
  void end_life() { server_.lives.end(life_); }

 private:
  struct Prepared {
    std::string name;
    bool is_known = false;  // prepared in this server process
  };
  struct Sent {
    Prepared* prepare = nullptr;  // this message prepares the statement; null: it executes one
  };

  [[nodiscard]] std::optional<Failure> open();
  [[nodiscard]] Failure lost() const;
  [[nodiscard]] Failure failure_of(pg_result* result);
  void send_prepared(std::string_view sql, const Params& params);
  void send_unnamed(std::string_view sql, const Params& params);
  [[nodiscard]] std::optional<Failure> receive(const Sent& sent, std::vector<Rows>& answers);
  // The first failure among the answers.
  [[nodiscard]] std::optional<Failure> receive_all(const std::vector<Sent>& sent, std::vector<Rows>& answers);
  void add_held_back();
  // Waits for one of these events and reads the input; false if the connection is lost or silent for too
  // long.
  [[nodiscard]] bool take_in(short events);
  // Sends everything that was added; false as for `take_in`. From here on the server may be silent for
  // `silence_max`.
  [[nodiscard]] bool flush(core::Duration silence_max);
  // Like PQgetResult, but with a timeout; null also if the server is silent.
  [[nodiscard]] pg_result* next_result();
  void give_up(const Failure& failure);

  Server& server_;
  const core::Duration silence_max_;
  core::Duration silence_allowed_ = {};  // for the current statements
  core::MonotonicTime heard_at_ = {};
  bool is_silent_ = false;  // and has been for longer than allowed
  std::unique_ptr<pg_conn, CloseConnection> connection_;
  std::string server_identity_;
  std::uint64_t life_ = 0;
  const std::unique_ptr<bool> has_warned_ = std::make_unique<bool>(false);  // libpq has its address
  std::unordered_map<const char*, Prepared> statements_;                    // by the address of their text
  std::vector<Sent> sent_;
  Ask ask_;
  std::vector<Sent> held_back_;
  Take take_;
  bool has_send_failed_ = false;
  int failures_in_a_row_ = 0;
  core::MonotonicTime next_try_at_ = {};
  std::string last_failure_;
};

}  // namespace pawl::store::postgres
