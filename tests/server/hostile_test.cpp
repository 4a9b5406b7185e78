// Hostile clients next to good ones, under a sanitizer if available: hostile ones are refused as documented,
// and good ones are served.
#include "tests/support/hostile.hpp"

#include <gtest/gtest.h>

#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using Hostile = ServerTest;

TEST_F(Hostile, ClientsAreRejectedAndOthersServed) {
  HostileClients hostile{front.port(), 900};
  RawClient good{front.port()};
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(good.send(post("/v1/default/tasks", R"({"type":"good"})")));
    EXPECT_EQ(status_of(good.receive()), 201);
    hostile.tick();
  }
}

}  // namespace
}  // namespace pawl::testing
