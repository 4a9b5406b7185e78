#pragma once
// The stream under a connection, with deadlines: a net::Stream that waits in the loop of one network thread.
// Everything happens on that thread. What is read or written at once never touches the loop or a timer.

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

// Of one loop that is run by one thread: what runs on it never runs at once with another.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
template <typename T>
using Awaitable = boost::asio::awaitable<T, Executor>;
using UseAwaitable = boost::asio::use_awaitable_t<Executor>;
inline constexpr auto kTuple = boost::asio::as_tuple(UseAwaitable{});  // errors are answers

class Transport {
 public:
  // `tls`: null for plain TCP. It need not outlive the call.
  Transport(Socket socket, Tls::Context* tls);

  [[nodiscard]] Executor executor() { return socket_.get_executor(); }
  // Until the next of these: what waits when the time is over ends, and so does whatever begins then.
  void expires_after(std::chrono::nanoseconds time);
  void expires_never();
  // What waits ends.
  void cancel();
  [[nodiscard]] bool is_peer_local() const;
  // Whether the other side has closed, also while bytes of it are not read yet.
  [[nodiscard]] bool is_peer_gone();

  // Calls `gone` when the other side closes; a moment later, if it has sent something before that. Nothing
  // else must be waited for until it is stopped.
  void watch_peer(std::function<void()> gone);
  void stop_watching();

  // `spoke_plainly`: HTTP came where TLS should; from then on it is plain, so that this can be answered.
  enum class Opening : std::uint8_t { ready, spoke_plainly, failed };
  // Before the first byte; within `timeout`.
  [[nodiscard]] Awaitable<Opening> open(std::chrono::milliseconds timeout);
  // Until there is something to read; false: there will not be.
  [[nodiscard]] Awaitable<bool> wait_for_input();
  // Puts what has come behind what is there; false: nothing more comes.
  [[nodiscard]] Awaitable<bool> read_some(std::string& into);
  // Whether all of it was handed over.
  [[nodiscard]] Awaitable<bool> write(std::string bytes);
  // Lets the others of this thread have their turn.
  [[nodiscard]] Awaitable<void> give_way();
  [[nodiscard]] Awaitable<void> pause(std::chrono::milliseconds time);
  // After `close`: throws away what comes, unhurried, until the other side has closed, it was so much, or the
  // time is over.
  [[nodiscard]] Awaitable<void> drain(std::size_t bytes_max);
  // Says that nothing more comes; does not wait for the other side to say so too.
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
  // One timer a connection, which is set only when something really waits, and left to run out by itself when
  // the deadline has moved on meanwhile: most requests then set none.
  Timer timer_;
  std::chrono::steady_clock::time_point deadline_ = kNever;
  bool is_timer_set_ = false;
  bool has_expired_ = false;
  bool is_watching_ = false;
  int watches_ = 0;                                       // that there were
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // seen by the timer's handler, which may come later

  static constexpr auto kNever = std::chrono::steady_clock::time_point::max();
};

}  // namespace pawl::server
