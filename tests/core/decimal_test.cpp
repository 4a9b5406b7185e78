#include "core/json/decimal.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

TEST(Decimal, OrdersNumbersExactly) {
  // In ascending order.
  const std::vector<const char*> rising{"-1e400",
                                        "-1e399",
                                        "-9223372036854775808",
                                        "-9223372036854775807",
                                        "-2",
                                        "-1.5",
                                        "-1.25",
                                        "-0.1",
                                        "0",
                                        "1e-400",
                                        "0.001",
                                        "0.1",
                                        "0.10000000000000000000000001",
                                        "1",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "123456789012345678901234567890",
                                        "123456789012345678901234567891",
                                        "1e399",
                                        "1e400"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j)
      EXPECT_EQ(compare_numbers(rising[i], rising[j]), i <=> j) << rising[i] << " and " << rising[j];
  }
}

TEST(Decimal, ComparesValuesNotSpelling) {
  const std::vector<std::vector<const char*>> classes{
      {"0", "-0", "0.0", "0e5", "-0.000e-7"},
      {"1", "1.0", "10e-1", "0.1e1", "1E0", "0.01e+2"},
      {"-120", "-1.2e2", "-120.00", "-12000e-2"},
      {"9007199254740993", "9007199254740993.0", "9.007199254740993e15"},
  };
  for (const auto& one : classes) {
    for (const char* left : one) {
      for (const char* right : one) {
        EXPECT_EQ(compare_numbers(left, right), std::strong_ordering::equal) << left << " and " << right;
        EXPECT_EQ(number_form(left), number_form(right)) << left << " and " << right;
      }
    }
  }
  EXPECT_NE(number_form("1"), number_form("-1"));
  EXPECT_NE(number_form("1"), number_form("10"));
}

TEST(Decimal, AcceptsExponentsBeyondInt64) {
  EXPECT_EQ(compare_numbers("1e99999999999999999999", "1"), std::strong_ordering::greater);
  EXPECT_EQ(compare_numbers("1e-99999999999999999999", "1"), std::strong_ordering::less);
  EXPECT_EQ(compare_numbers("-1e99999999999999999999", "1e-99999999999999999999"),
            std::strong_ordering::less);
}

TEST(Decimal, AgreesWithIntegers) {
  testing::SeededRandom random{20260204};
  for (int i = 0; i < 20'000; ++i) {
    const auto draw = [&] {
      const auto wide = static_cast<std::int64_t>(random.next());
      return random.chance(0.5) ? wide : wide % 1'000;
    };
    const std::int64_t left = draw();
    const std::int64_t right = draw();
    EXPECT_EQ(compare_numbers(std::to_string(left), std::to_string(right)), left <=> right)
        << left << " " << right;
  }
}

}  // namespace
}  // namespace pawl::core
