#include <algorithm>

#include <gtest/gtest.h>

#include "worker/runner.hpp"

namespace pawl::worker {
namespace {

TEST(EnvironmentOfAHandler, OmitsPawlSettingsThatMayContainASecret) {
  for (const char* name : {"PAWL_TOKEN", "PAWL_TOKEN_FILE", "PAWL_STORE", "PAWL_CONFIG", "PAWL_CLIENT_KEY",
                           "PAWL_TLS_KEY", "PAWL_SOMETHING_NEW"})
    EXPECT_FALSE(is_for_handlers(name)) << name;
}

TEST(EnvironmentOfAHandler, HasTheServerAddressAndAllOtherVariables) {
  for (const char* name : {"PAWL_ADDRESS", "PAWL_NAMESPACE", "PAWL_CA_CERT", "PATH", "PGPASSWORD", "PAWLA"})
    EXPECT_TRUE(is_for_handlers(name)) << name;
}

TEST(EnvironmentOfAHandler, HasTheTraceOfItsTaskInsteadOfTheWorkersTrace) {
  const ClaimedTask traced{.id = "t", .traceparent = "00-a-b-01", .tracestate = "foo=1"};
  const auto has = [](const std::vector<std::string>& environment, const std::string& entry) {
    return std::find(environment.begin(), environment.end(), entry) != environment.end();
  };
  const auto of_traced =
      environment_for(traced, "default", {"TRACEPARENT=old", "TRACESTATE=old=1", "PATH=/bin"});
  EXPECT_TRUE(has(of_traced, "TRACEPARENT=00-a-b-01"));
  EXPECT_TRUE(has(of_traced, "TRACESTATE=foo=1"));
  EXPECT_FALSE(has(of_traced, "TRACESTATE=old=1"));
  const auto of_plain = environment_for({.id = "t"}, "default", {"TRACEPARENT=old", "TRACESTATE=old=1"});
  EXPECT_FALSE(has(of_plain, "TRACEPARENT=old"));
  EXPECT_FALSE(has(of_plain, "TRACESTATE=old=1"));
}

}  // namespace
}  // namespace pawl::worker
