#include "tests/chaos/proxy.hpp"

#include <cerrno>
#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace pawl::chaos {

namespace {

constexpr int kLookMillis = 10;  // the delay until a new mode takes effect

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool has_bytes(const net::Descriptor& socket) {
  int count = 0;
  return ::ioctl(socket.get(), FIONREAD, &count) == 0 && count > 0;
}

bool send_all(int to, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(to, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

Proxy::Proxy(int server_port)
    : server_port_(server_port), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length);
  ::listen(listener_.get(), 64);
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread{[this] { run(); }};
}

Proxy::~Proxy() {
  is_over_ = true;
  thread_.join();
}

void Proxy::run() {
  while (!is_over_) {
    if (const Mode wanted = mode_; wanted != now_) change(wanted);
    std::vector<pollfd> waits;
    if (now_ != Mode::stall) {
      waits.push_back({listener_.get(), POLLIN, 0});
      for (const Link& link : links_) {
        waits.push_back({link.client.get(), POLLIN, 0});
        waits.push_back({link.server.get(), POLLIN, 0});
      }
    }
    ::poll(waits.data(), waits.size(), kLookMillis);
    if (now_ == Mode::stall) {
      note_held_back();
      continue;
    }
    links_.remove_if([this](Link& link) { return !move(link); });
    if (waits.front().revents != 0) accept_one();
  }
}

void Proxy::change(Mode to) {
  const bool has_lost_bytes = now_ == Mode::drop;
  if (has_lost_bytes) links_.remove_if([](const Link& link) { return link.is_hurt; });
  for (Link& link : links_) link.is_hurt = false;
  now_ = to;
  if (to != Mode::close) return;
  for (Link& link : links_) note_hurt(link);
  links_.clear();
}

void Proxy::accept_one() {
  Link link;
  link.client = net::Descriptor{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (now_ == Mode::close) return note_hurt(link);
  link.server = net::Descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in address = loopback(server_port_);
  if (::connect(link.server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  links_.push_back(std::move(link));
}

bool Proxy::move(Link& link) {
  return pass_on(link.client, link.server, link) && pass_on(link.server, link.client, link);
}

bool Proxy::pass_on(const net::Descriptor& from, const net::Descriptor& to, Link& link) {
  const ssize_t count = ::recv(from.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  if (now_ == Mode::drop) {
    note_hurt(link);
    return true;
  }
  return send_all(to.get(), buffer_.data(), static_cast<std::size_t>(count));
}

void Proxy::note_held_back() {
  for (Link& link : links_) {
    if (!link.is_hurt && (has_bytes(link.client) || has_bytes(link.server))) note_hurt(link);
  }
}

void Proxy::note_hurt(Link& link) {
  if (!link.is_hurt) ++hurt_.at(static_cast<std::size_t>(now_));
  link.is_hurt = true;
}

}  // namespace pawl::chaos
