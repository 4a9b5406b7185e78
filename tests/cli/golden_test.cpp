// The help of every level, as a file that a review can read. `./dev test --update-golden` rewrites it.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "cli/help.hpp"

namespace pawl::cli {
namespace {

const std::string kFile = PAWL_SOURCE_DIR "/tests/golden/cli_help.txt";

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

TEST(GoldenHelp, IsTheHelpOfEveryCommand) {
  const auto help = all_help();
  if (std::getenv("PAWL_UPDATE_GOLDEN") != nullptr) std::ofstream{kFile} << help;
  std::ifstream file{kFile};
  const std::string golden{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(help, golden) << "if this is what you meant: ./dev test --update-golden";
}

}  // namespace
}  // namespace pawl::cli
