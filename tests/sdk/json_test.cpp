// Integers are decoded without nlohmann/json, with the same result.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <pawl/json.hpp>

namespace pawl::detail {
namespace {

// The result of nlohmann/json itself; nothing if it refuses the text.
template <typename T>
std::optional<T> by_library(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  try {
    return json.get<T>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

template <typename T>
std::optional<T> by_us(const std::string& text) {
  try {
    return decode<T>(text);
  } catch (const BadJson&) {
    return std::nullopt;
  }
}

TEST(Integers, AreParsedLikeTheJsonLibraryDoes) {
  for (const std::string text : {"0",
                                 "-0",
                                 "7",
                                 "-7",
                                 "007",
                                 "-01",
                                 "00",
                                 "+7",
                                 " 7",
                                 "7 ",
                                 "7.0",
                                 "7.9",
                                 "1e3",
                                 "-1.5",
                                 "2147483647",
                                 "2147483648",
                                 "-2147483649",
                                 "9223372036854775807",
                                 "9223372036854775808",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "",
                                 "-",
                                 "null",
                                 "true",
                                 "\"7\"",
                                 "[7]",
                                 "7,",
                                 "0x7"}) {
    EXPECT_EQ(by_us<int>(text), by_library<int>(text)) << text;
    EXPECT_EQ(by_us<unsigned>(text), by_library<unsigned>(text)) << text;
    EXPECT_EQ(by_us<std::int64_t>(text), by_library<std::int64_t>(text)) << text;
    EXPECT_EQ(by_us<std::uint64_t>(text), by_library<std::uint64_t>(text)) << text;
  }
}

template <typename T>
void expect_kept(T value) {
  EXPECT_EQ(encode(value), Json(value).dump());
  EXPECT_EQ(decode<T>(encode(value)), value);
}

TEST(Integers, AreWrittenLikeTheJsonLibraryDoes) {
  for (const int value : {0, -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
    expect_kept(value);
  expect_kept(std::numeric_limits<std::int64_t>::min());
  expect_kept(std::numeric_limits<std::uint64_t>::max());
  expect_kept(true);
  expect_kept('c');
}

TEST(Integers, ReportTheExpectedType) {
  try {
    static_cast<void>(decode<int>("\"seven\""));
    FAIL() << "text is no number";
  } catch (const BadJson& bad) {
    EXPECT_NE(std::string{bad.what()}.find("must be number"), std::string::npos) << bad.what();
  }
}

}  // namespace
}  // namespace pawl::detail
