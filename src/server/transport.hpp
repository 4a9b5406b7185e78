#pragma once
// The stream of one connection, with deadlines: a net::Stream that waits in the event loop of one network
// thread. Not thread-safe. Reads and writes that complete immediately use neither the loop nor a timer.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/stream.hpp"
#include "server/tls.hpp"

namespace pawl::server {

// An executor of a loop that one thread runs, so its handlers never run concurrently.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
template <typename T>
using Awaitable = boost::asio::awaitable<T, Executor>;
using UseAwaitable = boost::asio::use_awaitable_t<Executor>;
inline constexpr auto kTuple = boost::asio::as_tuple(UseAwaitable{});  // errors are returned, not thrown

class Transport {
 public:
  // `tls`: null for plain TCP. It need not outlive the call.
  Transport(Socket socket, Tls::Context* tls);

  [[nodiscard]] Executor executor() { return socket_.get_executor(); }
  // Sets the deadline until the next of these calls: when it expires, current and new waits end.
  void expires_after(std::chrono::nanoseconds time);
  void expires_never();
  // Ends current waits.
  void cancel();
  [[nodiscard]] bool is_peer_local() const;
  // Whether the peer has closed the connection, even if bytes from it are still unread.
  [[nodiscard]] bool is_peer_gone();

  // Calls `gone` when the peer disconnects, with a short delay if unread bytes precede it. No other wait may
  // start until stop_watching.
  void watch_peer(std::function<void()> gone);
  void stop_watching();

  // `spoke_plainly`: the client sent plain HTTP to a TLS port; the stream becomes plain, so that the error
  // can be sent.
  enum class Opening : std::uint8_t { ready, spoke_plainly, failed };
  // Call before the first byte; waits at most `timeout`.
  [[nodiscard]] Awaitable<Opening> open(std::chrono::milliseconds timeout);
  // Waits for input; false: none will arrive.
  [[nodiscard]] Awaitable<bool> wait_for_input();
  // Appends received bytes; false: no more will arrive.
  [[nodiscard]] Awaitable<bool> read_some(std::string& into);
  // Returns whether everything was written.
  [[nodiscard]] Awaitable<bool> write(std::string bytes);
  // Lets other connections of this thread run.
  [[nodiscard]] Awaitable<void> give_way();
  [[nodiscard]] Awaitable<void> pause(std::chrono::milliseconds time);
  // After `close`: discards input at a bounded rate until the peer disconnects, the byte limit is reached or
  // the deadline expires.
  [[nodiscard]] Awaitable<void> drain(std::size_t bytes_max);
  // Closes the sending side without waiting for the peer to do the same.
  void close() { stream_.say_goodbye(); }

 private:
  [[nodiscard]] net::Progress read_now(std::string& into);
  [[nodiscard]] Awaitable<bool> wait(Socket::wait_type until);
  [[nodiscard]] Awaitable<bool> wait_for(net::Progress wanted);
  void look_after_peer(int watch, const std::function<void()>& gone);
  void watch_deadline();
  void look_at_deadline();

  Socket socket_;
  net::Stream stream_;
  // One timer per connection. It is set only when something really waits, and runs out unused if the deadline
  // has moved meanwhile, so that most requests set no timer.
  Timer timer_;
  std::chrono::steady_clock::time_point deadline_ = kNever;
  bool is_timer_set_ = false;
  bool has_expired_ = false;
  bool is_watching_ = false;
  int watches_ = 0;                                       // number of watches so far
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // expires before late timer handlers run

  static constexpr auto kNever = std::chrono::steady_clock::time_point::max();
};

}  // namespace pawl::server
