#include "core/base/boxed.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

using Box = Boxed<std::vector<std::string>>;

TEST(Boxed, IsAValue) {
  const Box empty;
  Box first{{"a", "b"}};
  Box second = first;
  EXPECT_FALSE(empty);
  EXPECT_EQ(first, second);
  EXPECT_NE(first, empty);
  second->push_back("c");
  EXPECT_NE(first, second) << "a copy is another one";
  first = second;
  EXPECT_EQ(first->size(), 3U);
  first = Box{};
  EXPECT_EQ(first, empty);
  second = first;
  EXPECT_FALSE(second);
}

}  // namespace
}  // namespace pawl::core
