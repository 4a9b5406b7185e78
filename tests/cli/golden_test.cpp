// The help of every level, as a file that a review can read. `./dev test --update-golden` rewrites it.
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include "cli/help.hpp"

namespace pawl::cli {
namespace {

std::string all_help() {
  const auto table = all_commands();
  std::string text = help_text(table, "");
  const auto add = [&](const std::string& path) {
    text += "\n==== pawl " + path + "\n\n" + help_text(table, path);
  };
  for (const auto& first : table.words_after("")) {
    add(first);
    for (const auto& second : table.words_after(first)) add(first + " " + second);
  }
  return text;
}

TEST(GoldenHelp, IsTheHelpOfEveryCommand) { testing::expect_golden("cli_help.txt", all_help()); }

}  // namespace
}  // namespace pawl::cli
