#include "server/transport.hpp"

#include <array>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <poll.h>

namespace pawl::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kReadSize = 64U << 10U;
// Pause between reads of discarded input. It limits a rejected client to 32 MiB a second, to save CPU time
// for others.
constexpr std::chrono::milliseconds kDrainPause{2};
constexpr std::chrono::milliseconds kPeerLook{250};

}  // namespace

Transport::Transport(Socket socket, Tls::Context* tls)
    : socket_(std::move(socket)), stream_(socket_.native_handle()), timer_(socket_.get_executor()) {
  boost::system::error_code ignored;  // failing only costs speed
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  socket_.native_non_blocking(true, ignored);
  if (tls != nullptr) stream_.use_tls(tls->native_handle(), net::Stream::Side::server);
}

void Transport::expires_after(std::chrono::nanoseconds time) {
  has_expired_ = false;
  deadline_ = std::chrono::steady_clock::now() + time;
}

void Transport::expires_never() {
  has_expired_ = false;
  deadline_ = kNever;
}

void Transport::cancel() {
  has_expired_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

bool Transport::is_peer_local() const {
  boost::system::error_code error;
  const auto peer = socket_.remote_endpoint(error);
  return !error && peer.address().is_loopback();
}

bool Transport::is_peer_gone() {
  pollfd watched{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&watched, 1, 0) == 1;
}

void Transport::watch_peer(std::function<void()> gone) {
  is_watching_ = true;
  socket_.async_wait(Socket::wait_read, [this, alive = std::weak_ptr<int>{alive_}, watch = ++watches_,
                                         gone = std::move(gone)](const boost::system::error_code& error) {
    if (!error && !alive.expired()) look_after_peer(watch, gone);
  });
}

// Polls, because unread input (the next request, or the TLS close notification) would end every wait
// immediately.
void Transport::look_after_peer(int watch, const std::function<void()>& gone) {
  if (!is_watching_ || watch != watches_) return;
  if (is_peer_gone()) return gone();
  const auto timer = std::make_shared<Timer>(executor(), kPeerLook);  // owned only by its own handler
  timer->async_wait(
      [this, timer, alive = std::weak_ptr<int>{alive_}, watch, gone](const boost::system::error_code& error) {
        if (!error && !alive.expired()) look_after_peer(watch, gone);
      });
}

void Transport::stop_watching() {
  boost::system::error_code ignored;
  if (std::exchange(is_watching_, false)) socket_.cancel(ignored);
}

void Transport::watch_deadline() {
  if (deadline_ == kNever || (is_timer_set_ && timer_.expiry() <= deadline_)) return;
  is_timer_set_ = true;
  timer_.expires_at(deadline_);
  timer_.async_wait([this, alive = std::weak_ptr<int>{alive_}](const boost::system::error_code& error) {
    if (!error && !alive.expired()) look_at_deadline();
  });
}

void Transport::look_at_deadline() {
  is_timer_set_ = false;
  if (std::chrono::steady_clock::now() >= deadline_) {
    cancel();
  } else {
    watch_deadline();
  }
}

Awaitable<bool> Transport::wait(Socket::wait_type until) {
  if (has_expired_) co_return false;
  watch_deadline();
  auto [error] = co_await socket_.async_wait(until, kTuple);
  co_return !error;
}

Awaitable<bool> Transport::wait_for(net::Progress wanted) {
  if (wanted == net::Progress::wants_read) co_return co_await wait(Socket::wait_read);
  if (wanted == net::Progress::wants_write) co_return co_await wait(Socket::wait_write);
  co_return false;
}

Awaitable<Transport::Opening> Transport::open(std::chrono::milliseconds timeout) {
  if (stream_.tls() == nullptr) co_return Opening::ready;
  expires_after(timeout);
  while (true) {
    const net::Progress progress = stream_.shake_hands();
    if (progress == net::Progress::done) co_return Opening::ready;
    if (!co_await wait_for(progress)) break;
  }
  if (stream_.tls_failure() != SSL_R_HTTP_REQUEST) co_return Opening::failed;
  stream_.drop_tls();
  co_return Opening::spoke_plainly;
}

Awaitable<bool> Transport::wait_for_input() {
  if (stream_.has_input()) co_return true;
  co_return co_await wait(Socket::wait_read);
}

// Reads through a stack buffer, so that a connection keeps no more memory than it received.
net::Progress Transport::read_now(std::string& into) {
  std::array<char, kReadSize> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
  const net::Moved read = stream_.read(chunk);
  into.append(chunk.data(), read.bytes);
  return read.progress;
}

Awaitable<bool> Transport::read_some(std::string& into) {
  while (true) {
    const net::Progress progress = read_now(into);
    if (progress == net::Progress::done) co_return true;
    if (!co_await wait_for(progress)) co_return false;
  }
}

Awaitable<bool> Transport::write(std::string bytes) {
  for (std::string_view left = bytes; !left.empty();) {
    const net::Moved written = stream_.write(left);
    left.remove_prefix(written.bytes);
    if (written.progress == net::Progress::done) continue;
    if (!co_await wait_for(written.progress)) co_return false;
  }
  co_return true;
}

Awaitable<void> Transport::drain(std::size_t bytes_max) {
  stream_.drop_tls();  // discarded input need not be decrypted
  watch_deadline();    // a fast sender never causes a wait that would set it
  for (std::size_t drained = 0; drained < bytes_max && !has_expired_;) {
    const net::Moved read = stream_.discard(kReadSize);
    drained += read.bytes;
    if (read.progress != net::Progress::done) {
      if (!co_await wait_for(read.progress)) co_return;
    } else if (is_peer_gone()) {
      co_await give_way();  // only already received bytes remain
    } else {
      co_await pause(kDrainPause);
    }
  }
}

Awaitable<void> Transport::pause(std::chrono::milliseconds time) {
  Timer timer{executor(), time};
  co_await timer.async_wait(kTuple);
}

Awaitable<void> Transport::give_way() { co_await asio::post(executor(), UseAwaitable{}); }

}  // namespace pawl::server
