#include "net/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <openssl/err.h>
#include <sys/socket.h>

namespace pawl::net {

namespace {

bool must_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

// OpenSSL's own socket BIO raises SIGPIPE when the other side is gone; this one does not.
int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && must_wait(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto received = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), 0);
  if (received < 0 && must_wait(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

long bio_control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static BIO_METHOD* const shared = [] {  // lives as long as the program
    BIO_METHOD* method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "socket");
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_ctrl(method, bio_control);
    return method;
  }();
  return shared;
}

int clamped(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

void Stream::use_tls(SSL_CTX* context, Side side) {
  tls_.reset(SSL_new(context));
  BIO* bio = BIO_new(socket_method());
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket_)));
  BIO_set_init(bio, 1);
  SSL_set_bio(tls_.get(), bio, bio);
  // A write that is repeated may use another buffer, and a write may be partial.
  SSL_set_mode(tls_.get(), SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE |
                               SSL_MODE_RELEASE_BUFFERS);
  if (side == Side::server) {
    SSL_set_accept_state(tls_.get());
  } else {
    SSL_set_connect_state(tls_.get());
  }
}

Progress Stream::progress_of(int result) {
  system_error_ = errno;
  tls_error_ = 0;
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_NONE: return Progress::done;
    case SSL_ERROR_WANT_READ: return Progress::wants_read;
    case SSL_ERROR_WANT_WRITE: return Progress::wants_write;
    case SSL_ERROR_ZERO_RETURN: return Progress::closed;
    case SSL_ERROR_SSL: tls_error_ = ERR_get_error(); break;
    default: break;
  }
  return Progress::failed;
}

Progress Stream::shake_hands() {
  ERR_clear_error();
  return progress_of(SSL_do_handshake(tls_.get()));
}

Moved Stream::read(std::span<char> into) {
  if (tls_ != nullptr) {
    ERR_clear_error();
    const int received = SSL_read(tls_.get(), into.data(), clamped(into.size()));
    return {.progress = progress_of(received), .bytes = static_cast<std::size_t>(std::max(received, 0))};
  }
  return received_plainly(::recv(socket_, into.data(), into.size(), 0));
}

Moved Stream::discard(std::size_t bytes_max) {
  return received_plainly(::recv(socket_, nullptr, bytes_max, MSG_TRUNC));  // TCP: not even copied
}

Moved Stream::received_plainly(ssize_t received) {
  if (received > 0) return {.progress = Progress::done, .bytes = static_cast<std::size_t>(received)};
  if (received == 0) return {.progress = Progress::closed};
  system_error_ = errno;
  return {.progress = must_wait(errno) ? Progress::wants_read : Progress::failed};
}

Moved Stream::write(std::string_view bytes) {
  if (tls_ != nullptr) {
    ERR_clear_error();
    const int sent = SSL_write(tls_.get(), bytes.data(), clamped(bytes.size()));
    return {.progress = progress_of(sent), .bytes = static_cast<std::size_t>(std::max(sent, 0))};
  }
  const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return {.progress = Progress::done, .bytes = static_cast<std::size_t>(sent)};
  system_error_ = errno;
  return {.progress = must_wait(errno) ? Progress::wants_write : Progress::failed};
}

void Stream::say_goodbye() {
  if (tls_ != nullptr && SSL_is_init_finished(tls_.get()) == 1) {
    ERR_clear_error();
    (void)SSL_shutdown(tls_.get());
  }
  ::shutdown(socket_, SHUT_WR);
}

std::string Stream::failure() const {
  const char* reason = tls_error_ == 0 ? nullptr : ERR_reason_error_string(tls_error_);
  if (reason != nullptr) return reason;
  return system_error_ == 0 ? "the other side has closed it" : std::generic_category().message(system_error_);
}

int Stream::tls_failure() const { return tls_error_ == 0 ? 0 : ERR_GET_REASON(tls_error_); }

}  // namespace pawl::net
