#pragma once
// Texts that a review can read: kept in tests/golden, rewritten by `./dev test --update-golden`.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace pawl::testing {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = PAWL_SOURCE_DIR "/tests/golden/" + name;
  if (std::getenv("PAWL_UPDATE_GOLDEN") != nullptr) std::ofstream{path} << text;
  std::ifstream file{path};
  const std::string golden{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(text, golden) << "if this is what you meant: ./dev test --update-golden";
}

}  // namespace pawl::testing
