#pragma once
// What a Client stands on: an engine in this process on a store that it owns, or a server. Calls may be made
// from any thread; over HTTP each takes a connection of its own out of a pool, so that one that waits holds
// nobody up.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/http_api.hpp"
#include "core/api.hpp"
#include "core/run_api.hpp"
#include "core/schedule_api.hpp"
#include "pawl/options.hpp"
#include "runtime/env.hpp"
#include "runtime/runtime.hpp"

namespace pawl::detail {

// Both sides of the same thing, for as long as a call takes. A server's connection goes back to the pool
// afterwards.
class Calls {
 public:
  explicit Calls(runtime::LocalApi& local) : tasks_(&local), runs_(&local), schedules_(&local) {}
  Calls(std::unique_ptr<client::HttpApi> http,
        std::function<void(std::unique_ptr<client::HttpApi>)> give_back)
      : tasks_(http.get()),
        runs_(http.get()),
        schedules_(http.get()),
        http_(std::move(http)),
        give_back_(std::move(give_back)) {}
  Calls(Calls&&) = default;
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  Calls& operator=(Calls&&) = delete;
  ~Calls() {
    if (http_ && give_back_) give_back_(std::move(http_));
  }

  [[nodiscard]] core::Api& tasks() const { return *tasks_; }
  [[nodiscard]] core::RunApi& runs() const { return *runs_; }
  [[nodiscard]] core::ScheduleApi& schedules() const { return *schedules_; }
  // Ends the call under way and all later ones; a call of an engine in this process ends by itself, soon.
  void cancel() const {
    if (http_) http_->cancel();
  }

 private:
  core::Api* tasks_;
  core::RunApi* runs_;
  core::ScheduleApi* schedules_;
  std::unique_ptr<client::HttpApi> http_;
  std::function<void(std::unique_ptr<client::HttpApi>)> give_back_;
};

// While a function of a user's has a transaction of a database open on this thread: a call to the engine on
// it would wait for the end of that for ever.
class OpenTransaction {
 public:
  OpenTransaction();
  OpenTransaction(const OpenTransaction&) = delete;
  OpenTransaction& operator=(const OpenTransaction&) = delete;
  ~OpenTransaction();

  // Throws Error where there is one on this thread.
  static void refuse_calls();
  [[nodiscard]] bool has_refused() const { return has_refused_; }

 private:
  bool has_refused_ = false;
};

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  [[nodiscard]] virtual Calls calls() = 0;
  // Each call is a request to a server.
  [[nodiscard]] virtual bool is_remote() const { return false; }
  // What a body writes. To a server it goes together with what others write meanwhile.
  [[nodiscard]] virtual core::Result<core::StepsWritten> write_steps(core::WriteSteps command) {
    return calls().runs().write_steps(std::move(command));
  }
  // One that nobody else uses, each of whose calls ends after `timeout`.
  [[nodiscard]] virtual Calls own_calls(core::Duration timeout) = 0;
  // How long a workflow waits on its thread before it leaves it, where its worker was told `asked`.
  [[nodiscard]] virtual core::Duration suspend_after(core::Duration asked) const { return asked; }
  // Whether a step that takes long is written as started.
  [[nodiscard]] virtual bool shows_started_steps() const { return true; }
  // Held by whoever waits for the end of the run: a clock that skips time may go on.
  [[nodiscard]] virtual std::shared_ptr<void> waiting(const core::RunId& /*run*/) { return nullptr; }
  // How long one request waits for the end of a run.
  [[nodiscard]] virtual core::Duration result_wait() const { return std::chrono::seconds{20}; }
  // Called between these requests: throws where no run can be waited for any longer.
  virtual void check_wait() {}
  // How long a claim should wait for work at a time.
  [[nodiscard]] virtual core::Duration claim_wait() const = 0;
  // How long a wait for notices should take at a time.
  [[nodiscard]] virtual core::Duration notice_wait() const { return claim_wait(); }

  // Why there can be no transaction of a user's own; nothing where there can.
  [[nodiscard]] virtual std::optional<std::string> why_no_sql() const = 0;
  // Steps that are worked out behind a user's own statements, in one commit with them (Engine::transact).
  using StepsWork = std::function<std::optional<core::WriteSteps>(store::Sql&)>;
  [[nodiscard]] virtual core::Result<std::optional<core::StepsWritten>> transact(const StepsWork& work) = 0;

  [[nodiscard]] const std::string& ns() const { return ns_; }
  [[nodiscard]] core::Clock& clock() { return *clock_; }
  [[nodiscard]] core::Random& random() { return random_; }

 protected:
  Connection(std::string ns, std::unique_ptr<core::Clock> clock)
      : ns_(std::move(ns)), clock_(std::move(clock)) {}

 private:
  std::string ns_;
  std::unique_ptr<core::Clock> clock_;
  runtime::SystemRandom random_;
};

// Throws Error.
[[nodiscard]] std::shared_ptr<Connection> open_connection(const std::string& address,
                                                          const ConnectOptions& options);
// An engine in this process on a clock that somebody else moves.
struct EmbeddedOptions {
  std::string ns = "default";
  std::unique_ptr<core::Clock> clock = {};
  runtime::RuntimeOptions runtime = {};
};
[[nodiscard]] std::shared_ptr<Connection> open_embedded(const std::string& store, EmbeddedOptions options);

}  // namespace pawl::detail
