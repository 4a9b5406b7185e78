#include "server/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <thread>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>

#include "core/low_memory.hpp"
#include "server/connection.hpp"

namespace pawl::server {

namespace asio = boost::asio;
using asio::ip::tcp;

core::Duration time_for_body(const HttpLimits& limits, std::int64_t bytes_received) {
  const std::chrono::seconds earned{bytes_received / limits.body_bytes_per_second_min};
  return std::min<core::Duration>(limits.body_timeout, limits.body_grace + earned);
}

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};

bool is_out_of_resources(const boost::system::error_code& error) {
  return error == asio::error::no_descriptors || error == asio::error::no_memory ||
         error == asio::error::no_buffer_space || error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace

struct HttpServer::Impl {
  using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

  // A thread with a loop of its own. A connection stays with one: nothing of it ever runs at once, and no
  // lock is shared with those of the other threads.
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

  using Connections = std::list<std::shared_ptr<Connection>>;  // shared with the coroutine that runs each

  Impl(const HttpOptions& given, Metrics& counted, Log* written)
      : options(given),
        metrics(counted),
        log(written),
        network(make_network(given)),
        acceptor(first_loop()),
        blocking(blocking_threads(given)) {}

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

  static std::size_t blocking_threads(const HttpOptions& options) {
    return static_cast<std::size_t>(options.blocking_threads);
  }

  // In one second there is one line of it.
  void note_failed_accept(const boost::system::error_code& error) {
    metrics.count_failed_accept();
    if (log == nullptr || failed_in_a_row++ % (std::chrono::seconds{1} / kAcceptPause) != 0) return;
    log->write(LogLevel::error, "cannot accept connections",
               {{"why", error.message()},
                {"connections", std::to_string(metrics.connections())},
                {"advice", "raise the limit on open files (ulimit -n), or lower limits.connections"}});
  }

  // It ends with the acceptor. An exception, which is memory that ran out, must not be its end.
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

  // Runs work that must not end the thread that it is on.
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
        pause.expires_after(kAcceptPause);  // it would fail again and again, as fast as a core can try
        (void)co_await pause.async_wait(kTuple);
        continue;
      }
      failed_in_a_row = 0;
      if (error) continue;  // the caller is gone already
      Socket caller = std::move(socket);
      const auto from = caller.remote_endpoint(error).address();
      if (error) continue;  // gone already
      if (has_room_for(from)) {
        open(std::move(caller), from);
      } else {
        turn_away(std::move(caller));
      }
    }
  }

  bool has_room_for(const asio::ip::address& address) {
    if (metrics.connections() >= options.limits.connections_max) return false;
    if (address.is_loopback() && options.limits.spares_loopback) return true;
    const std::lock_guard lock{mutex};
    const auto known = by_address.find(address);
    return known == by_address.end() || known->second < options.limits.connections_per_address_max;
  }

  // With the lock.
  void count(const asio::ip::address& address, int change) {
    const int now = by_address[address] += change;
    if (now == 0) by_address.erase(address);
  }

  void forget(Connections::iterator entry, const asio::ip::address& address) {
    const std::lock_guard lock{mutex};
    count(address, -1);
    connections.erase(entry);
    if (connections.empty()) none_left.notify_all();
  }

  void open(Socket socket, const asio::ip::address& address) {
    const auto context = tls.context();
    auto connection =
        std::make_shared<Connection>(std::move(socket), context.get(), options.limits, *dispatch);
    const auto entry = [&] {
      const std::lock_guard lock{mutex};
      count(address, 1);
      return connections.insert(connections.end(), connection);
    }();
    metrics.count_connection(1);
    auto executor = connection->executor();
    asio::co_spawn(executor, connection->run(),
                   [this, entry, connection, address](const std::exception_ptr&) {
                     forget(entry, address);
                     metrics.count_connection(-1);
                   });
  }

  // Told why, while few are being told; else closed. Over TLS telling it would take shaking hands first.
  void turn_away(Socket socket) {
    metrics.count_refused_connection();
    if (tls.context() != nullptr || farewells >= options.limits.farewells_max) return;
    ++farewells;
    auto connection = std::make_shared<Connection>(std::move(socket), nullptr, options.limits, *dispatch);
    auto executor = connection->executor();
    asio::co_spawn(executor, connection->turn_away(),
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
  Acceptor acceptor;  // on the first of them
  asio::thread_pool blocking;
  std::mutex mutex;
  std::condition_variable none_left;
  std::map<asio::ip::address, int> by_address;  // how many connections each has
  std::atomic<int> farewells = 0;               // of those turned away, not among the connections
  Connections connections;
};

HttpServer::HttpServer(const HttpOptions& options, Metrics& metrics, Log* log)
    : impl_(std::make_unique<Impl>(options, metrics, log)) {}

HttpServer::~HttpServer() { stop(); }

core::Status HttpServer::listen() { return impl_->listen(); }

core::Status HttpServer::reload_certificate() { return impl_->tls.load(impl_->options.tls); }

void HttpServer::stop() {
  impl_->blocking.join();
  for (const auto& network : impl_->network) network->loop.stop();
  for (const auto& network : impl_->network) {
    if (network->thread.joinable()) network->thread.join();
  }
}

std::uint16_t HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

Blocking HttpServer::blocking() {
  return [this](std::function<void()> work) {
    asio::post(impl_->blocking, [this, work = std::move(work)] { impl_->run_guarded(work); });
  };
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
  const std::lock_guard lock{impl_->mutex};
  for (const auto& connection : impl_->connections) connection->stop();
}

void HttpServer::wait_for_connections(std::chrono::milliseconds at_most,
                                      const std::function<void()>& answer_waiting) {
  constexpr std::chrono::milliseconds kStep{20};
  for (std::chrono::milliseconds waited{0}; waited < at_most; waited += kStep) {
    answer_waiting();
    std::unique_lock lock{impl_->mutex};
    if (impl_->none_left.wait_for(lock, kStep, [this] { return impl_->connections.empty(); })) return;
  }
}

}  // namespace pawl::server
