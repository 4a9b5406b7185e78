#include "server/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "core/base/low_memory.hpp"
#include "server/open_connections.hpp"
#include "server/peer_network.hpp"

namespace pawl::server {

namespace asio = boost::asio;
using asio::ip::tcp;

core::Duration time_for_body(const HttpLimits& limits, std::int64_t bytes_received) {
  const std::chrono::seconds earned{bytes_received / limits.body_bytes_per_second_min};
  return std::min<core::Duration>(limits.body_timeout, limits.body_grace + earned);
}

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::seconds kBetweenCrowdedLines{10};

bool is_out_of_resources(const boost::system::error_code& error) {
  return error == asio::error::no_descriptors || error == asio::error::no_memory ||
         error == asio::error::no_buffer_space || error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace

struct HttpServer::Impl {
  using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

  // A thread with its own event loop. A connection stays on one thread, so its handlers never run
  // concurrently and it shares no lock with other threads.
  struct NetworkThread {
    asio::io_context loop{1};
    asio::executor_work_guard<Executor> work{loop.get_executor()};
    std::thread thread;
  };

  static std::vector<std::unique_ptr<NetworkThread>> make_network(const HttpOptions& options) {
    std::vector<std::unique_ptr<NetworkThread>> network;
    for (int i = 0; i < std::max(options.threads, 1); ++i)
      network.push_back(std::make_unique<NetworkThread>());
    return network;
  }

  Impl(const HttpOptions& given, Metrics& counted, Log* written)
      : options(given),
        metrics(counted),
        log(written),
        network(make_network(given)),
        acceptor(first_loop()),
        blocking(given.blocking) {}

  core::Status listen() {
    if (const core::Status loaded = tls.load(options.tls); !loaded) return loaded;
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error) return core::invalid_field("listen", fmt::format("'{}' is no IP address", options.address));
    const tcp::endpoint endpoint{address, options.port};
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address{true}, error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return core::Done{};
    return core::Problem{
        .code = core::ProblemCode::conflict,
        .detail = fmt::format("cannot listen at {}:{}: {}", options.address, options.port, error.message())};
  }

  asio::io_context& first_loop() { return network.front()->loop; }
  asio::io_context& next_loop() { return network[accepted++ % network.size()]->loop; }

  // Logs at most one line per second.
  void note_failed_accept(const boost::system::error_code& error) {
    metrics.count_failed_accept();
    if (log == nullptr || failed_in_a_row++ % (std::chrono::seconds{1} / kAcceptPause) != 0) return;
    log->write(LogLevel::error, "cannot accept connections",
               {{"why", error.message()},
                {"connections", std::to_string(metrics.connections())},
                {"advice", "raise the limit on open files (ulimit -n), or lower limits.connections"}});
  }

  // Runs until the acceptor closes. An exception here means that memory ran out, and must not end accepting.
  void start_accepting() {
    asio::co_spawn(first_loop(), accept(), [this](const std::exception_ptr& failed) {
      if (failed) note_out_of_memory();
      if (failed && acceptor.is_open()) start_accepting();
    });
  }

  void note_out_of_memory() {
    metrics.count_out_of_memory();
    (void)core::has_memory_for([this] {
      if (log != nullptr)
        log->write(LogLevel::error, "out of memory", {{"lost", "one request or connection"}});
    });
  }

  // Runs work whose lack of memory must not end its thread.
  void run_guarded(const std::function<void()>& work) {
    if (!core::has_memory_for(work)) note_out_of_memory();
  }

  Awaitable<void> accept() {
    Timer pause{first_loop()};
    while (acceptor.is_open()) {
      auto [error, socket] = co_await acceptor.async_accept(next_loop(), kTuple);
      if (error == asio::error::operation_aborted) co_return;
      if (is_out_of_resources(error)) {
        note_failed_accept(error);
        pause.expires_after(kAcceptPause);  // accepting would fail again immediately, in a busy loop
        (void)co_await pause.async_wait(kTuple);
        continue;
      }
      failed_in_a_row = 0;
      if (error) continue;  // the client has already disconnected
      Socket caller = std::move(socket);
      const auto from = caller.remote_endpoint(error).address();
      if (error) continue;  // already disconnected
      const std::string peer = peer_network(from);
      const bool is_spared = from.is_loopback() && options.limits.spares_loopback;
      const auto room = connections.make_room(peer, is_spared);
      if (!room) {
        ++refused;
        note_crowded(room.problem().detail);
        turn_away(std::move(caller), room.problem());
        continue;
      }
      if (*room == OpenConnections::Room::displaced) {
        ++displaced;
        metrics.count_displaced_connection();
        note_crowded("limits.connections: all connections were in use");
      }
      open(std::move(caller), peer);
    }
  }

  // Logs one line for all connections refused or displaced within some seconds. Runs on the accepting thread.
  void note_crowded(const std::string& why) {
    const core::MonotonicTime now = dispatch->monotonic();
    if (log == nullptr || (crowded_at && now - *crowded_at < kBetweenCrowdedLines)) return;
    crowded_at = now;
    log->write(LogLevel::warning, "connections are refused or displaced",
               {{"why", why},
                {"refused", std::to_string(std::exchange(refused, 0))},
                {"displaced", std::to_string(std::exchange(displaced, 0))},
                {"connections", std::to_string(metrics.connections())}});
  }

  void open(Socket socket, const std::string& peer) {
    const auto context = tls.context();
    auto connection =
        std::make_shared<Connection>(std::move(socket), context.get(), options.limits, *dispatch, peer);
    const auto entry = connections.add(connection, peer);
    connection->when_admitted(
        [this, entry](const std::string& token) { connections.note_admitted(entry, token); });
    metrics.count_connection(1);
    auto executor = connection->executor();
    asio::co_spawn(executor, connection->run(), [this, entry, connection](const std::exception_ptr&) {
      connections.remove(entry);
      metrics.count_connection(-1);
    });
  }

  // Serves probes and sends others the refusal, while there are few such connections; otherwise closes the
  // connection.
  void turn_away(Socket socket, core::Problem refusal) {
    metrics.count_refused_connection();
    if (farewells >= options.limits.farewells_max) return;
    ++farewells;
    const auto context = tls.context();
    auto connection =
        std::make_shared<Connection>(std::move(socket), context.get(), options.limits, *dispatch, "");
    auto executor = connection->executor();
    asio::co_spawn(executor, connection->turn_away(std::move(refusal)),
                   [this, connection](const std::exception_ptr&) { --farewells; });
  }

  const HttpOptions options;
  Metrics& metrics;
  Log* log;
  std::int64_t failed_in_a_row = 0;  // attempts to accept
  Tls tls;
  Dispatch* dispatch = nullptr;
  std::vector<std::unique_ptr<NetworkThread>> network;
  std::size_t accepted = 0;
  Acceptor acceptor;  // on the first network thread
  FairThreads blocking;
  std::atomic<int> farewells = 0;  // refused connections, not counted as connections
  OpenConnections connections{options.limits};
  // Since the last log line about this. Used only on the accepting thread.
  std::optional<core::MonotonicTime> crowded_at;
  std::int64_t refused = 0;
  std::int64_t displaced = 0;
};

HttpServer::HttpServer(const HttpOptions& options, Metrics& metrics, Log* log)
    : impl_(std::make_unique<Impl>(options, metrics, log)) {}

HttpServer::~HttpServer() { stop(); }

core::Status HttpServer::listen() { return impl_->listen(); }

core::Status HttpServer::reload_certificate() { return impl_->tls.load(impl_->options.tls); }

void HttpServer::stop() {
  impl_->blocking.stop();
  for (const auto& network : impl_->network) network->loop.stop();
  for (const auto& network : impl_->network) {
    if (network->thread.joinable()) network->thread.join();
  }
}

std::uint16_t HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

Blocking HttpServer::blocking() {
  const auto post = [this](WorkOwner owner, std::function<void()> work) {
    impl_->blocking.post(std::move(owner), [this, work = std::move(work)] { impl_->run_guarded(work); });
  };
  return {post, [this](const std::string& ns) { return impl_->blocking.waiting_of(ns); }};
}

Later HttpServer::later() {
  return [this](core::Duration time, std::function<void()> work) {
    auto timer = std::make_shared<Timer>(impl_->first_loop(), time);  // shared with its own handler
    timer->async_wait([timer, work = std::move(work)](const boost::system::error_code& error) {
      if (!error) work();
    });
  };
}

void HttpServer::start(Dispatch& dispatch) {
  impl_->dispatch = &dispatch;
  impl_->start_accepting();
  for (const auto& network : impl_->network) {
    network->thread = std::thread{[this, loop = &network->loop] {
      while (!core::has_memory_for([loop] { loop->run(); })) impl_->note_out_of_memory();
    }};
  }
}

void HttpServer::stop_accepting() {
  asio::post(impl_->first_loop(), [this] { impl_->acceptor.close(); });
  impl_->connections.stop_all();
}

void HttpServer::wait_for_connections(std::chrono::milliseconds at_most,
                                      const std::function<void()>& answer_waiting) {
  constexpr std::chrono::milliseconds kStep{20};
  for (std::chrono::milliseconds waited{0}; waited < at_most; waited += kStep) {
    answer_waiting();
    if (impl_->connections.wait_until_none(kStep)) return;
  }
}

}  // namespace pawl::server
