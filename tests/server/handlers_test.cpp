#include "server/handlers.hpp"

#include <gtest/gtest.h>

#include "wire/routes.hpp"

namespace pawl::testing {
namespace {

using server::handler_of;
using server::RunsOn;

TEST(Handlers, HaveOneForEachRoute) {
  for (const wire::Route& route : wire::routes()) EXPECT_EQ(handler_of(route.call).call, route.call);
}

TEST(Handlers, KeepCallersWithoutATokenFromTheThreadsThatMayBlock) {
  for (const wire::Route& route : wire::routes()) {
    if (route.role) continue;
    EXPECT_EQ(handler_of(route.call).runs_on, RunsOn::network) << route.path;
  }
}

TEST(Handlers, SubmitOneCommandOnTheNetworkThreadOrPagesOnAnotherOne) {
  for (const wire::Route& route : wire::routes()) {
    const server::Handler& handler = handler_of(route.call);
    EXPECT_FALSE(handler.is_bulk && handler.runs_on == RunsOn::network) << route.path;
  }
}

}  // namespace
}  // namespace pawl::testing
