#pragma once
// The address that a caller is counted by: an IPv4 address, or the first half of an IPv6 address, since a
// household or a rented machine has a whole /64.

#include <string>

#include <boost/asio/ip/address.hpp>

namespace pawl::server {

// "192.0.2.1", also where it was mapped to IPv6, or "2001:db8:1:2::/64".
[[nodiscard]] std::string peer_network(const boost::asio::ip::address& address);

}  // namespace pawl::server
