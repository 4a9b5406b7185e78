#pragma once
// The network that limits count a client by: an IPv4 address, or the first half of an IPv6 address, because a
// household or a rented machine has a whole /64.

#include <string>

#include <boost/asio/ip/address.hpp>

namespace pawl::server {

// "192.0.2.1", also if it was mapped to IPv6, or "2001:db8:1:2::/64".
[[nodiscard]] std::string peer_network(const boost::asio::ip::address& address);

}  // namespace pawl::server
