#pragma once
// The stream under a connection: TCP, or TLS over it. To Asio and Beast it is one stream with deadlines;
// which it is matters only at the beginning and the end. Used on one strand.

#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "server/tls.hpp"

namespace pawl::server {

class Transport {
 public:
  using Plain = boost::beast::tcp_stream;
  using Encrypted = boost::beast::ssl_stream<Plain>;
  using executor_type = Plain::executor_type;

  // `tls`: null for plain TCP. It need not outlive the call.
  Transport(boost::asio::ip::tcp::socket socket, Tls::Context* tls);

  [[nodiscard]] executor_type get_executor() { return lowest().get_executor(); }
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() { return lowest().socket(); }
  void expires_after(std::chrono::nanoseconds time) { lowest().expires_after(time); }
  void expires_never() { lowest().expires_never(); }
  // What is under way ends with an error.
  void cancel() { lowest().cancel(); }
  // Whether the other side has closed, also while bytes of it are not read yet.
  [[nodiscard]] bool is_peer_gone();

  // `spoke_plainly`: HTTP came where TLS should; from then on it is plain, so that this can be answered.
  enum class Opening : std::uint8_t { ready, spoke_plainly, failed };
  // Before the first byte; within `timeout`.
  [[nodiscard]] boost::asio::awaitable<Opening> open(std::chrono::milliseconds timeout);
  // Says that nothing more comes; does not wait for the other side to say so too.
  [[nodiscard]] boost::asio::awaitable<void> close(std::chrono::milliseconds timeout);

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const Buffers& into) {
          std::visit([&](auto& stream) { stream.async_read_some(into, std::move(handler)); }, stream_);
        },
        token, buffers);
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const Buffers& from) {
          std::visit([&](auto& stream) { stream.async_write_some(from, std::move(handler)); }, stream_);
        },
        token, buffers);
  }

 private:
  [[nodiscard]] Plain& lowest();

  std::variant<Plain, Encrypted> stream_;
};

}  // namespace pawl::server
