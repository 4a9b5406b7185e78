#pragma once
// One connection in pipeline mode: statements are added, sent together and answered together. It reconnects
// when used after a loss, with growing, spread pauses between tries. A server that is silent for too long
// counts as lost: its machine may be well enough to hold the line although it will never answer.
//
// Nothing throws but `run_or_throw` and `connect_or_throw`. One thread at a time.

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

struct pg_conn;  // libpq's

namespace pawl::store::postgres {

// What the connections of a store have in common.
struct Server {
  std::string conninfo;
  Jitter jitter;
  ServerLives lives;
  // A pooler was seen to hand our statements to other server processes: they are parsed anew each time from
  // then on.
  std::atomic<bool> is_pooled = false;
  const core::Duration silence_max;  // of a server that should answer at once

  Server(std::string text, core::Random* random, core::Duration silent_at_most = std::chrono::seconds{15})
      : conninfo(std::move(text)), jitter(random), silence_max(silent_at_most) {}
};

struct CloseConnection {
  void operator()(pg_conn* connection) const;
};

class Connection {
 public:
  explicit Connection(Server& server) : Connection(server, server.silence_max) {}
  // For what takes longer.
  Connection(Server& server, core::Duration silence_max) : server_(server), silence_max_(silence_max) {}

  enum class When : std::uint8_t { backed_off, at_once };
  // Does nothing when connected, unless the server has begun another life since: then it connects again.
  // Refuses without a try while it is too early for one, unless told `at_once`.
  [[nodiscard]] std::optional<Failure> connect(When when = When::backed_off);
  // True if it had to connect anew: a failure after that is not one of an old connection.
  bool connect_or_throw();
  [[nodiscard]] bool is_connected() const { return connection_ != nullptr; }
  void drop();

  // Adds a statement to the pipeline. `sql` is a constant: its address stands for it.
  void send(std::string_view sql, const Params& params = {});
  // The same for a statement that is not ours, whose values and answer are texts.
  void send_text(const std::string& statement, const std::vector<std::optional<std::string>>& values);
  // As of the last run.
  [[nodiscard]] bool is_in_transaction() const;
  // How many statements were added: the number of the next one's answer.
  [[nodiscard]] std::size_t sent() const;
  // Sends what was added and waits for all of it: one answer a statement, or the first failure, after which
  // the server has skipped the rest. `silence_max` where they may take longer than others.
  [[nodiscard]] std::optional<Failure> run(std::vector<Rows>& answers,
                                           std::optional<core::Duration> silence_max = {});
  [[nodiscard]] std::vector<Rows> run_or_throw();

  // What `ask` adds goes with what is run next, in front of it, and `take` is given its answers. A roll back
  // before that is for nothing: the server has heard of none of it.
  using Ask = std::function<void(Connection&)>;
  using Take = std::function<void(std::span<const Rows> answers)>;
  void hold_back(Ask ask, Take take);
  [[nodiscard]] bool is_holding_back() const { return ask_ != nullptr; }
  // Nothing has come that was not asked for, such as its end.
  [[nodiscard]] bool is_quiet() const;

  // Text with any number of statements, outside of the pipeline. `silence_max` as above.
  [[nodiscard]] std::optional<Failure> run_script(const std::string& text,
                                                  std::optional<core::Duration> silence_max = {});
  // Whether the server has warned since the last call. Of a commit: it is not on the synchronous standby.
  [[nodiscard]] bool take_warning() { return std::exchange(*has_warned_, false); }
  // Ends a transaction that is to leave nothing; drops the connection if that cannot be done.
  void roll_back();

  // Another one after a failover, and after a crash of the same server.
  [[nodiscard]] const std::string& server_identity() const { return server_identity_; }
  [[nodiscard]] std::uint64_t life() const { return life_; }
  // Throws `retry` where the answer is of another server than the one that was connected to: a pooler has
  // moved on to it. All that was remembered is dropped then.
  void expect_identity(std::string_view identity);
  // The server has lost rows that it had in this life.
  void end_life() { server_.lives.end(life_); }

 private:
  struct Prepared {
    std::string name;
    bool is_known = false;  // to this server process
  };
  struct Sent {
    Prepared* prepare = nullptr;  // this message makes the statement known; null: it executes one
  };

  [[nodiscard]] std::optional<Failure> open();
  [[nodiscard]] Failure lost() const;
  [[nodiscard]] Failure failure_of(pg_result* result);
  void send_prepared(std::string_view sql, const Params& params);
  void send_unnamed(std::string_view sql, const Params& params);
  [[nodiscard]] std::optional<Failure> receive(const Sent& sent, std::vector<Rows>& answers);
  // The first failure among their answers.
  [[nodiscard]] std::optional<Failure> receive_all(const std::vector<Sent>& sent, std::vector<Rows>& answers);
  void add_held_back();
  // Waits for one of these events, and takes in what has come; false: it is lost, or silent for too long.
  [[nodiscard]] bool take_in(short events);
  // Until the server has all that was added; false: the same. From here on it may be silent so long.
  [[nodiscard]] bool flush(core::Duration silence_max);
  // PQgetResult, but for not waiting for ever; null also when the server is silent.
  [[nodiscard]] pg_result* next_result();
  void give_up(const Failure& failure);

  Server& server_;
  const core::Duration silence_max_;
  core::Duration silence_allowed_ = {};  // of what is under way
  core::MonotonicTime heard_at_ = {};
  bool is_silent_ = false;  // and has been for too long
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
