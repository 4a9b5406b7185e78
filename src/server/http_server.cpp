#include "server/http_server.hpp"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <map>
#include <thread>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "server/connection.hpp"

namespace pawl::server {

namespace asio = boost::asio;
using asio::ip::tcp;

core::Duration time_for_body(const HttpLimits& limits, std::int64_t bytes_received) {
  const std::chrono::seconds earned{bytes_received / limits.body_bytes_per_second_min};
  return std::min<core::Duration>(limits.body_timeout, limits.body_grace + earned);
}

struct HttpServer::Impl {
  using Connections = std::list<std::shared_ptr<Connection>>;  // shared with the coroutine that runs each

  Impl(const HttpOptions& given, Metrics& counted)
      : options(given), metrics(counted), acceptor(network), blocking(blocking_threads(given)) {}

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

  static std::size_t blocking_threads(const HttpOptions& options) {
    return static_cast<std::size_t>(options.blocking_threads);
  }

  asio::awaitable<void> accept() {
    constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
    while (acceptor.is_open()) {
      // Each connection on a strand of its own: its handlers never run at once.
      auto [error, socket] = co_await acceptor.async_accept(asio::make_strand(network), kTuple);
      if (error == asio::error::operation_aborted) co_return;
      if (error) continue;  // out of descriptors, or the caller is gone already
      tcp::socket caller = std::move(socket);
      const auto from = caller.remote_endpoint(error).address();
      if (error) continue;  // gone already
      if (!has_room_for(from)) {
        metrics.count_refused_connection();
        continue;  // closing is all it is worth: writing an answer could be made to wait
      }
      open(std::move(caller), from);
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

  void open(tcp::socket socket, const asio::ip::address& address) {
    const auto context = tls.context();
    auto connection =
        std::make_shared<Connection>(Transport{std::move(socket), context.get()}, options.limits, *dispatch);
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

  const HttpOptions options;
  Metrics& metrics;
  Tls tls;
  Dispatch* dispatch = nullptr;
  asio::io_context network;
  asio::executor_work_guard<asio::io_context::executor_type> work{network.get_executor()};
  tcp::acceptor acceptor;
  asio::thread_pool blocking;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable none_left;
  std::map<asio::ip::address, int> by_address;  // how many connections each has
  Connections connections;
};

HttpServer::HttpServer(const HttpOptions& options, Metrics& metrics)
    : impl_(std::make_unique<Impl>(options, metrics)) {}

HttpServer::~HttpServer() { stop(); }

core::Status HttpServer::listen() { return impl_->listen(); }

core::Status HttpServer::reload_certificate() { return impl_->tls.load(impl_->options.tls); }

void HttpServer::stop() {
  impl_->blocking.join();
  impl_->network.stop();
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
}

std::uint16_t HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

Blocking HttpServer::blocking() {
  return [this](std::function<void()> work) { asio::post(impl_->blocking, std::move(work)); };
}

Later HttpServer::later() {
  return [this](core::Duration time, std::function<void()> work) {
    auto timer = std::make_shared<asio::steady_timer>(impl_->network, time);  // shared with its own handler
    timer->async_wait([timer, work = std::move(work)](const boost::system::error_code& error) {
      if (!error) work();
    });
  };
}

void HttpServer::start(Dispatch& dispatch) {
  impl_->dispatch = &dispatch;
  asio::co_spawn(impl_->network, impl_->accept(), asio::detached);
  for (int i = 0; i < impl_->options.threads; ++i)
    impl_->threads.emplace_back([this] { impl_->network.run(); });
}

void HttpServer::stop_accepting() {
  asio::post(impl_->network, [this] { impl_->acceptor.close(); });
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
