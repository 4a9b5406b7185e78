#include "client/waiting_stream.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "client/tls_context.hpp"

namespace pawl::client {

namespace {

std::string text_of(int error) { return std::generic_category().message(error); }

}  // namespace

std::string Endpoint::ip() const {
  std::array<char, NI_MAXHOST> text{};
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::getnameinfo(generic, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return text.data();
}

core::Result<std::vector<Endpoint>> resolve(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0)
    return core::Problem{.code = core::ProblemCode::unavailable, .detail = ::gai_strerror(error)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner{found, ::freeaddrinfo};
  std::vector<Endpoint> endpoints;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Endpoint& endpoint = endpoints.emplace_back(Endpoint{.size = entry->ai_addrlen});
    std::memcpy(&endpoint.address, entry->ai_addr, entry->ai_addrlen);
  }
  return endpoints;
}

Cancellation::Cancellation() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Cancellation::cancel() { (void)::eventfd_write(event_.get(), 1); }

bool Cancellation::is_cancelled() const {
  pollfd event{.fd = event_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&event, 1, 0) == 1;
}

WaitingStream::WaitingStream(const Cancellation& cancellation)
    : cancellation_(cancellation), deadline_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void WaitingStream::expires_after(core::Duration time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::chrono::nanoseconds rest = time - seconds;
  itimerspec deadline{};
  deadline.it_value = {.tv_sec = seconds.count(), .tv_nsec = rest.count()};
  if (time <= core::Duration{0}) deadline.it_value = {.tv_sec = 0, .tv_nsec = 1};  // 0 would disarm the timer
  ::timerfd_settime(deadline_.get(), 0, &deadline, nullptr);
}

bool WaitingStream::wait(short events) {
  std::array<pollfd, 3> waits{{{.fd = socket_.get(), .events = events, .revents = 0},
                               {.fd = deadline_.get(), .events = POLLIN, .revents = 0},
                               {.fd = cancellation_.descriptor(), .events = POLLIN, .revents = 0}}};
  while (::poll(waits.data(), waits.size(), -1) < 0) {
    if (errno == EINTR) continue;
    why_ = text_of(errno);
    return false;
  }
  if (waits[0].revents != 0) return true;
  has_timed_out_ = waits[2].revents == 0;
  why_ = has_timed_out_ ? "it took too long" : "the call was cancelled";
  return false;
}

bool WaitingStream::wait_for(net::Progress wanted) {
  if (wanted == net::Progress::wants_read) return wait(POLLIN);
  if (wanted == net::Progress::wants_write) return wait(POLLOUT);
  is_closed_ = wanted == net::Progress::closed;
  why_ = is_closed_ ? "the other side has closed it" : stream_->failure();
  return false;
}

bool WaitingStream::connect(const std::vector<Endpoint>& endpoints) {
  for (const Endpoint& endpoint : endpoints) {
    if (connect_to(endpoint)) return true;
    if (has_timed_out_ || cancellation_.is_cancelled()) return false;
  }
  return false;
}

bool WaitingStream::connect_to(const Endpoint& endpoint) {
  socket_ = net::Descriptor{
      ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP)};
  int error = 0;
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      if (!wait(POLLOUT)) return false;
      socklen_t size = sizeof error;
      ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error != 0) {
    why_ = text_of(error);
    return false;
  }
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // only slower without it
  stream_.emplace(socket_.get());
  return true;
}

bool WaitingStream::begin_tls(SSL_CTX* context, const std::string& host) {
  stream_->use_tls(context, net::Stream::Side::client);
  if (!expect_host(stream_->tls(), host)) {
    why_ = "the host's name cannot be sent by TLS";
    return false;
  }
  while (true) {
    const net::Progress progress = stream_->shake_hands();
    if (progress == net::Progress::done) return true;
    if (!wait_for(progress)) return false;
  }
}

bool WaitingStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const net::Moved written = stream_->write(bytes);
    bytes.remove_prefix(written.bytes);
    if (written.progress != net::Progress::done && !wait_for(written.progress)) return false;
  }
  return true;
}

std::size_t WaitingStream::read(std::span<char> into) {
  while (true) {
    const net::Moved read = stream_->read(into);
    if (read.progress == net::Progress::done) return read.bytes;
    if (!wait_for(read.progress)) return 0;
  }
}

}  // namespace pawl::client
