#include "client/http_address.hpp"

#include <gtest/gtest.h>

namespace pawl::client {
namespace {

TEST(HttpAddressText, HasSchemeHostPortAndPrefix) {
  EXPECT_EQ(*parse_http_address("http://127.0.0.1:7717"),
            (HttpAddress{.tls = false, .host = "127.0.0.1", .port = "7717", .prefix = ""}));
  EXPECT_EQ(*parse_http_address("https://pawl.example.org/api/"),
            (HttpAddress{.tls = true, .host = "pawl.example.org", .port = "443", .prefix = "/api"}));
  EXPECT_EQ(*parse_http_address("http://[::1]:80/x"),
            (HttpAddress{.tls = false, .host = "::1", .port = "80", .prefix = "/x"}));
}

TEST(HttpAddressText, IsRejectedWithTheReason) {
  for (const auto* text : {"", "localhost:7717", "ftp://x", "http://", "http://:80", "http://x:0",
                           "http://x:99999", "http://x:8a", "http://[::1", "http://a@b/", "http://[[::1]",
                           "http://a]/", "https://[[0W3\x02 3]/x", "http://a\r\nb/", "http://a\x7f/"}) {
    EXPECT_FALSE(parse_http_address(text).ok()) << text;
  }
}

TEST(HttpAddressText, GivesAHostHeaderWithoutTheDefaultPort) {
  EXPECT_EQ(host_header(*parse_http_address("http://[::1]:7717")), "[::1]:7717");
  EXPECT_EQ(host_header(*parse_http_address("https://a.b:443")), "a.b");
}

TEST(PrivateAddresses, IncludePrivateAndLinkLocalNetworks) {
  for (const auto* ip :
       {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "::", "fc00::1", "fe80::1", "::ffff:10.0.0.1", "no address"}) {
    EXPECT_TRUE(is_private_address(ip)) << ip;
  }
  for (const auto* ip : {"127.0.0.1", "::1", "8.8.8.8", "172.32.0.1", "2001:db8::1", "::ffff:8.8.8.8"}) {
    EXPECT_FALSE(is_private_address(ip)) << ip;
  }
}

TEST(PercentEncoding, LeavesOnlyUnreservedCharacters) {
  EXPECT_EQ(percent_encoded("a-Z_0.~"), "a-Z_0.~");
  EXPECT_EQ(percent_encoded("a/b c%ü"), "a%2Fb%20c%25%C3%BC");
}

}  // namespace
}  // namespace pawl::client
