// JSONTestSuite: texts that a JSON parser must accept (y_), must refuse (n_), or may do either with (i_). The
// package contains them as strings, which lose bytes that are not UTF-8; such texts are skipped.
// PAWL_JSON_TEST_SUITE=.../JSONTestSuite/test_parsing runs all files of the repository instead.
#include <cstdlib>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/json.hpp"
#include "tests/json_suites/suites.hpp"

namespace pawl::testing {
namespace {

struct Text {
  std::string name;
  std::string text;
};

std::vector<Text> texts_of_directory(const std::filesystem::path& directory) {
  std::vector<Text> texts;
  for (const auto& file : std::filesystem::directory_iterator{directory})
    texts.push_back({.name = file.path().filename(), .text = text_of_file(file.path())});
  return texts;
}

std::vector<Text> texts_of_package() {
  const std::string module = text_of_file(package("json-test-suite/data/parsing.js"));
  const std::string before = "export default ";
  const std::size_t begin = module.find(before);
  std::vector<Text> texts;
  if (begin == std::string::npos) return texts;
  for (const auto& one : nlohmann::json::parse(module.substr(begin + before.size()))) {
    Text text{.name = one["name"], .text = one["input"]};
    const bool is_damaged = text.text.find("\xEF\xBF\xBD") != std::string::npos;
    if (!is_damaged) texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<Text> all_texts() {
  const char* directory = std::getenv("PAWL_JSON_TEST_SUITE");
  return directory != nullptr ? texts_of_directory(directory) : texts_of_package();
}

// The optional texts that Pawl accepts: numbers of any size are kept as written.
bool is_accepted_by_choice(const std::string& name) { return name.starts_with("i_number_"); }

TEST(JsonTestSuite, IsPassed) {
  const auto texts = all_texts();
  ASSERT_GT(texts.size(), 280U) << "run npm ci in tests/json_suites, as ./dev test does";
  int accepted = 0;
  int refused = 0;
  int chosen = 0;
  for (const auto& [name, text] : texts) {
    const auto fault = core::json_fault(text);
    const bool is_valid = !fault;
    if (name.starts_with("y_")) {
      EXPECT_TRUE(is_valid) << name << ": " << core::json_error(text).value_or("");
      ++accepted;
    } else if (name.starts_with("n_")) {
      ASSERT_FALSE(is_valid) << name;
      EXPECT_LE(fault->at, text.size()) << name;
      EXPECT_NE(core::json_error(text)->find(std::to_string(fault->at)), std::string::npos)
          << name << ": " << *core::json_error(text);
      ++refused;
    } else {
      EXPECT_EQ(is_valid, is_accepted_by_choice(name)) << name << ": " << core::json_error(text).value_or("");
      ++chosen;
    }
  }
  std::cout << accepted << " texts accepted, " << refused << " refused with their place, " << chosen
            << " that a reader may choose\n";
}

}  // namespace
}  // namespace pawl::testing
