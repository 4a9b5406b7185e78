#include "core/base/ensure.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using EnsureDeathTest = ::testing::Test;

TEST_F(EnsureDeathTest, PrintsTheLocationAndTheReason) {
  EXPECT_DEATH(ensure_failed("a.cpp", 3, "it must"), "pawl: broken invariant at a.cpp:3: it must");
}

TEST_F(EnsureDeathTest, PrintsJsonInAProcessThatLogsJson) {
  const auto fail = [] {
    write_failures_as_json();
    ensure_failed("a.cpp", 3, "it \"must\"");
  };
  EXPECT_DEATH(
      fail(),
      R"(\{"level":"error","what":"broken invariant","file":"a.cpp","line":3,"why":"it \\"must\\""\})");
}

}  // namespace
}  // namespace pawl::core
