#include "sdk/connection.hpp"

#include <utility>

#include "client/migrate_store.hpp"
#include "client/open_store.hpp"
#include "sdk/convert.hpp"
#include "sdk/step_size.hpp"
#include "sdk/test_connection.hpp"
#include "sdk/together.hpp"

namespace pawl::detail {

namespace {

// A stop that just misses the begin of a claim's wait waits for its end.
constexpr core::Duration kEmbeddedClaimWait = std::chrono::milliseconds{200};
constexpr core::Duration kHttpClaimWait = std::chrono::seconds{5};
constexpr core::Duration kHttpNoticeWait = std::chrono::seconds{30};
constexpr std::size_t kKeptConnectionsMax = 64;

std::size_t bytes_of(const core::WriteSteps& command) {
  std::size_t bytes = 0;
  for (const core::StepWrite& step : command.steps) bytes += size_of(step);
  return bytes;
}

// Shows only the scheme of an address with a host, because the address may contain a password.
Error unknown_address(const std::string& address) {
  const auto slashes = address.find("://");
  const std::string shown = slashes == std::string::npos ? address : address.substr(0, slashes) + "://…";
  return Error{"invalid_argument",
               "address: '" + shown +
                   "' is none of the known forms: sqlite:FILE, postgres://USER@HOST/DATABASE, "
                   "postgres:CONNINFO, memory:, http://HOST:PORT, https://HOST:PORT"};
}

class Embedded final : public Connection {
 public:
  Embedded(const client::StoreAddress& address, EmbeddedOptions options)
      : Connection(std::move(options.ns), std::move(options.clock)),
        store_(client::open_store(address, clock(), random())),
        runtime_(*store_, clock(), random(), std::move(options.runtime)) {}

  [[nodiscard]] Calls calls() override {
    OpenTransaction::refuse_calls();
    return Calls{runtime_.local()};
  }
  [[nodiscard]] Calls own_calls(core::Duration) override { return calls(); }
  [[nodiscard]] core::Duration claim_wait() const override { return kEmbeddedClaimWait; }
  void end_waits_of(const std::string& worker_id) override {
    runtime_.engine().end_waits_of(ns(), worker_id);
  }

  [[nodiscard]] std::optional<std::string> why_no_sql() const override {
    if (store_->has_sql()) return std::nullopt;
    return "this client's store is in memory, which takes no SQL";
  }
  [[nodiscard]] core::Result<std::optional<core::StepsWritten>> transact(const StepsWork& work) override {
    auto answer = runtime_.transact([&](store::Sql& sql) -> std::optional<core::Command> {
      auto steps = work(sql);
      if (!steps) return std::nullopt;
      return core::Command{std::move(*steps)};
    });
    if (!answer) return answer.problem();
    if (!*answer) return std::optional<core::StepsWritten>{};
    return std::optional{std::move(std::get<core::StepsWritten>(**answer))};
  }

 private:
  std::unique_ptr<store::Store> store_;
  runtime::Runtime runtime_;
};

class Http final : public Connection {
 public:
  Http(client::HttpTarget target, std::string ns)
      : Connection(std::move(ns), std::make_unique<runtime::SystemClock>()), target_(std::move(target)) {}

  [[nodiscard]] Calls calls() override {
    return Calls{take(), [this](std::unique_ptr<client::HttpApi> http) { give_back(std::move(http)); }};
  }
  [[nodiscard]] bool is_remote() const override { return true; }
  [[nodiscard]] core::Result<core::StepsWritten> write_steps(core::WriteSteps command) override {
    if (const core::Status valid = core::check(command); !valid) return valid.problem();
    const bool goes_alone = command.await || !core::may_be_repeated(command);
    if (goes_alone) return Connection::write_steps(std::move(command));
    const std::size_t bytes = bytes_of(command);
    return steps_.call(std::move(command), bytes);
  }
  [[nodiscard]] Calls own_calls(core::Duration timeout) override {
    client::HttpTarget target = target_;
    target.timeout = timeout;
    return Calls{std::make_unique<client::HttpApi>(std::move(target), random()), {}};
  }
  [[nodiscard]] core::Duration claim_wait() const override { return kHttpClaimWait; }
  [[nodiscard]] core::Duration notice_wait() const override { return kHttpNoticeWait; }

  [[nodiscard]] std::optional<std::string> why_no_sql() const override {
    return "this client talks to a server, and the server's database is not its own";
  }
  [[nodiscard]] core::Result<std::optional<core::StepsWritten>> transact(const StepsWork&) override {
    return core::Problem{.code = core::ProblemCode::invalid_state, .detail = *why_no_sql()};
  }

 private:
  std::unique_ptr<client::HttpApi> take() {
    const std::lock_guard lock{mutex_};
    if (free_.empty()) return std::make_unique<client::HttpApi>(target_, random());
    auto http = std::move(free_.back());
    free_.pop_back();
    return http;
  }
  void give_back(std::unique_ptr<client::HttpApi> http) {
    const std::lock_guard lock{mutex_};
    if (free_.size() < kKeptConnectionsMax) free_.push_back(std::move(http));
  }

  client::HttpTarget target_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<client::HttpApi>> free_;
  Together<core::WriteSteps, core::StepsWritten> steps_{
      {},
      [this](const core::WriteSteps& write) { return Connection::write_steps(write); },
      [this](const std::vector<core::WriteSteps>& writes) {
        return calls().runs().write_steps_of_many({.ns = ns(), .writes = writes});
      }};
};

thread_local OpenTransaction* open_transaction = nullptr;

}  // namespace

OpenTransaction::OpenTransaction() { open_transaction = this; }
OpenTransaction::~OpenTransaction() { open_transaction = nullptr; }

void OpenTransaction::refuse_calls() {
  if (open_transaction == nullptr) return;
  open_transaction->has_refused_ = true;
  throw Error{"invalid_state",
              "a transaction's function does nothing else than SQL: a call of the client waits for its end"};
}

std::shared_ptr<Connection> open_embedded(const std::string& store, EmbeddedOptions options) {
  const auto address = client::parse_store_address(store);
  if (!address) throw error_of(address.problem());
  if (!options.clock) options.clock = std::make_unique<runtime::SystemClock>();
  return from_store([&]() -> std::shared_ptr<Connection> {
    // Other processes may share a PostgreSQL database and may have migrated it already. Opening a SQLite file
    // migrates it.
    if (address->type == client::StoreType::postgres) {
      runtime::SystemRandom random;
      client::migrate_store(*address, *options.clock, random);
    }
    return std::make_shared<Embedded>(*address, std::move(options));
  });
}

std::shared_ptr<Connection> open_connection(const std::string& address, const ConnectOptions& options) {
  if (const core::Status ns = core::check_namespace(options.ns); !ns) throw error_of(ns.problem());
  if (auto of_a_test = testing::detail::find_test_connection(address)) return of_a_test;
  if (!address.starts_with("http://") && !address.starts_with("https://")) {
    if (!client::parse_store_address(address)) throw unknown_address(address);
    return open_embedded(address, {.ns = options.ns});
  }
  const auto server = client::parse_http_address(address);
  if (!server) throw error_of(server.problem());
  return std::make_shared<Http>(
      client::HttpTarget{
          .address = *server,
          .token = options.token,
          .tls = {.ca_cert = options.ca_cert, .cert = options.client_cert, .key = options.client_key}},
      options.ns);
}

}  // namespace pawl::detail
