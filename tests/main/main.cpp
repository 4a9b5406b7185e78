// The main function of test programs with canaries compiled in: PAWL_CANARY names the bug to plant.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/canary.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const char* canary = std::getenv("PAWL_CANARY");
  if (canary != nullptr && !pawl::core::plant(canary)) {
    fmt::print(stderr, "PAWL_CANARY: no canary is named \"{}\" (docs/canaries.md lists them)\n", canary);
    return 2;
  }
  return RUN_ALL_TESTS();
}
