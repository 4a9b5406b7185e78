#include "cli/arguments.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

std::vector<std::string> hidden(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  hide_secrets(static_cast<int>(pointers.size()), pointers.data());
  return words;
}

TEST(Arguments, HideTokens) {
  EXPECT_EQ(hidden({"pawl", "--token", "abc", "task", "list"}),
            (std::vector<std::string>{"pawl", "--token", "***", "task", "list"}));
  EXPECT_EQ(hidden({"pawl", "task", "--token=abc", "--token-file", "f"}),
            (std::vector<std::string>{"pawl", "task", "--token=***", "--token-file", "f"}));
  EXPECT_EQ(hidden({"pawl", "task", "--token"}), (std::vector<std::string>{"pawl", "task", "--token"}));
}

TEST(Arguments, HideThePasswordOfAStore) {
  EXPECT_EQ(hidden({"pawl", "--store", "postgres://pawl:pawl@db/pawl"})[2], "postgres://pawl:****@db/pawl");
  EXPECT_EQ(hidden({"pawl", "--set", "store=postgres:host=db password=abc"})[2],
            "store=postgres:host=db password=***");
  EXPECT_EQ(hidden({"pawl", "--store", "sqlite:pawl.db"})[2], "sqlite:pawl.db");
}

}  // namespace
}  // namespace pawl::cli
