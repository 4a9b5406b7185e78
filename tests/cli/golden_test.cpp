// docs/reference matches the program's own tables.
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include "tests/cli/reference.hpp"

namespace pawl::testing {
namespace {

TEST(Reference, OfTheCommandLineIsUpToDate) {
  expect_golden("docs/reference/command-line.md", command_line_reference());
}

TEST(Reference, OfHttpIsUpToDate) { expect_golden("docs/reference/http.md", http_reference()); }

}  // namespace
}  // namespace pawl::testing
