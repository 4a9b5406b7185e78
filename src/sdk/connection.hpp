#pragma once
// The connection behind a Client: an engine in this process on a store that it owns, or a server.
// Thread-safe. Over HTTP each call takes its own connection from a pool, so a waiting call does not block
// others.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/http_api.hpp"
#include "core/api/api.hpp"
#include "core/api/run_api.hpp"
#include "core/api/schedule_api.hpp"
#include "pawl/options.hpp"
#include "runtime/env.hpp"
#include "runtime/runtime.hpp"

namespace pawl::detail {

// The APIs of a connection for the duration of one call. An HTTP connection then returns to the pool.
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
  // The key serves HTTP, where a reply can be lost. An engine in this process always replies.
  core::Result<core::Worker> heartbeat_worker(const core::HeartbeatWorker& request,
                                              const std::string& key) const {
    return http_ ? http_->heartbeat_worker(request, key) : tasks_->heartbeat_worker(request);
  }
  // Ends the current call and all later ones, over HTTP. See `Connection::end_waits_of` for an engine in this
  // process.
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

// Exists while a user's function has a database transaction open on this thread. A call to the engine from
// that function would wait for the end of the transaction forever.
class OpenTransaction {
 public:
  OpenTransaction();
  OpenTransaction(const OpenTransaction&) = delete;
  OpenTransaction& operator=(const OpenTransaction&) = delete;
  ~OpenTransaction();

  // Throws Error if this thread has one.
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
  // Whether each call is a request to a server.
  [[nodiscard]] virtual bool is_remote() const { return false; }
  // Writes the steps of a body. Writes to a server are batched with concurrent ones.
  [[nodiscard]] virtual core::Result<core::StepsWritten> write_steps(core::WriteSteps command) {
    return calls().runs().write_steps(std::move(command));
  }
  // A connection for the caller alone; each of its calls ends after `timeout`.
  [[nodiscard]] virtual Calls own_calls(core::Duration timeout) = 0;
  // How long a workflow waits on its thread before it is suspended. `asked` is the worker's option.
  [[nodiscard]] virtual core::Duration suspend_after(core::Duration asked) const { return asked; }
  // Whether a step that runs long is written as started.
  [[nodiscard]] virtual bool shows_started_steps() const { return true; }
  // The caller holds the result while it waits for the end of the run: only then a test clock skips time.
  [[nodiscard]] virtual std::shared_ptr<void> waiting(const core::RunId& /*run*/) { return nullptr; }
  // How long one request waits for the end of a run.
  [[nodiscard]] virtual core::Duration result_wait() const { return std::chrono::seconds{20}; }
  // Called between these requests; throws if no run can be awaited any longer.
  virtual void check_wait() {}
  // How long one claim waits for work.
  [[nodiscard]] virtual core::Duration claim_wait() const = 0;
  // How long one request waits for notices.
  [[nodiscard]] virtual core::Duration notice_wait() const { return claim_wait(); }

  // Ends the waits for work and for notices that this worker has in an engine of this process.
  virtual void end_waits_of(const std::string& /*worker_id*/) {}

  // Why transactions with user SQL are impossible; nothing if they are possible.
  [[nodiscard]] virtual std::optional<std::string> why_no_sql() const = 0;
  // Computes steps after the user's own statements; both are committed together (Engine::transact).
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

// Throws Error if the address is not valid or the store cannot be opened.
[[nodiscard]] std::shared_ptr<Connection> open_connection(const std::string& address,
                                                          const ConnectOptions& options);
// An engine in this process. `clock` is for callers that control the time; the default is the system clock.
struct EmbeddedOptions {
  std::string ns = "default";
  std::unique_ptr<core::Clock> clock = {};
  runtime::RuntimeOptions runtime = {};
};
[[nodiscard]] std::shared_ptr<Connection> open_embedded(const std::string& store, EmbeddedOptions options);

}  // namespace pawl::detail
