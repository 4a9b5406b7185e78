#include "server/transport.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

namespace pawl::server {

namespace asio = boost::asio;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

Transport::Transport(asio::ip::tcp::socket socket, Tls::Context* tls)
    : stream_(std::in_place_type<Plain>, std::move(socket)) {
  if (tls != nullptr) {
    Plain plain = std::move(std::get<Plain>(stream_));
    stream_.emplace<Encrypted>(std::move(plain), *tls);
  }
  boost::system::error_code ignored;  // only slower without
  lowest().socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
}

Transport::Plain& Transport::lowest() {
  if (auto* plain = std::get_if<Plain>(&stream_)) return *plain;
  return std::get<Encrypted>(stream_).next_layer();
}

bool Transport::is_peer_gone() {
  pollfd watched{.fd = socket().native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&watched, 1, 0) == 1;
}

asio::awaitable<Transport::Opening> Transport::open(std::chrono::milliseconds timeout) {
  auto* encrypted = std::get_if<Encrypted>(&stream_);
  if (encrypted == nullptr) co_return Opening::ready;
  expires_after(timeout);
  auto [error] = co_await encrypted->async_handshake(asio::ssl::stream_base::server, kTuple);
  if (!error) co_return Opening::ready;
  const auto reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  if (error.category() != asio::error::get_ssl_category() || reason != SSL_R_HTTP_REQUEST)
    co_return Opening::failed;
  Plain plain = std::move(encrypted->next_layer());
  stream_.emplace<Plain>(std::move(plain));
  co_return Opening::spoke_plainly;
}

asio::awaitable<void> Transport::close(std::chrono::milliseconds timeout) {
  if (auto* encrypted = std::get_if<Encrypted>(&stream_)) {
    SSL_set_shutdown(encrypted->native_handle(), SSL_RECEIVED_SHUTDOWN);  // so that it does not wait for it
    expires_after(timeout);
    (void)co_await encrypted->async_shutdown(kTuple);
  }
  boost::system::error_code ignored;
  socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace pawl::server
