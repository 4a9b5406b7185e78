#include "server/host_names.hpp"

#include <gtest/gtest.h>

namespace pawl::server {
namespace {

TEST(HostNames, OnLoopbackAreTheLocalAndTheConfiguredNames) {
  const HostNames hosts = host_names({"pawl.example.com"}, "127.0.0.1");
  for (const char* host : {"127.0.0.1", "127.0.0.1:7717", "localhost", "LocalHost:80", "[::1]", "[::1]:7717",
                           "pawl.example.com", "PAWL.example.com:443"})
    EXPECT_TRUE(hosts.accepts(host)) << host;
  for (const char* host : {"", "evil.example", "127.0.0.1.evil.example", "192.0.2.1", "[2001:db8::1]", "[::1",
                           "localhost.evil.example", "xlocalhost"})
    EXPECT_FALSE(hosts.accepts(host)) << host;
}

TEST(HostNames, BeyondLoopbackAreUnrestrictedUntilConfigured) {
  EXPECT_TRUE(host_names({}, "0.0.0.0").accepts("anything.example"));
  const HostNames hosts = host_names({"pawl.example.com"}, "0.0.0.0");
  for (const char* host : {"pawl.example.com:7717", "192.0.2.1:7717", "[2001:db8::1]:7717", "localhost"})
    EXPECT_TRUE(hosts.accepts(host)) << host;
  for (const char* host : {"evil.example", "192.0.2.1.evil.example", "0x7f000001", "2130706433", "192.0.2"})
    EXPECT_FALSE(hosts.accepts(host)) << host;
}

TEST(HostNames, AreUnforgeableIfNoOtherSiteCanUseThem) {
  const HostNames all = host_names({}, "0.0.0.0");
  for (const char* host : {"192.0.2.1:7717", "[2001:db8::1]", "localhost:7717", "127.0.0.1"})
    EXPECT_TRUE(all.is_unforgeable(host)) << host;
  for (const char* host : {"", "evil.example", "127.0.0.1.evil.example", "pawl.example.com"})
    EXPECT_FALSE(all.is_unforgeable(host)) << host;
  EXPECT_TRUE(host_names({"pawl.example.com"}, "0.0.0.0").is_unforgeable("pawl.example.com"));
}

TEST(HostNames, AreParsedFromTheirSetting) {
  EXPECT_EQ(*parse_hosts(""), (std::vector<std::string>{}));
  EXPECT_EQ(*parse_hosts("Pawl.example.com, 192.0.2.1,[2001:db8::1]"),
            (std::vector<std::string>{"pawl.example.com", "192.0.2.1", "[2001:db8::1]"}));
  for (const char* bad : {",", "a,", "a b", "pawl.example.com:7717", "*", "http://a"}) {
    const auto refused = parse_hosts(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_TRUE(refused.problem().detail.starts_with("server.hosts: \"")) << refused.problem().detail;
  }
}

}  // namespace
}  // namespace pawl::server
