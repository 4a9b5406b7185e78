// Trace context, with the cases of the W3C's own suite (github.com/w3c/trace-context, test/test.py), one row
// per request, at its strict level. tests/server covers its cases for headers.
#include "wire/trace.hpp"

#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pawl::wire {
namespace {

constexpr std::string_view kTrace = "12345678901234567890123456789012";
constexpr std::string_view kParent = "00-12345678901234567890123456789012-1234567890123456-01";

std::string parent(std::string_view version, std::string_view trace, std::string_view span,
                   std::string_view flags) {
  return fmt::format("{}-{}-{}-{}", version, trace, span, flags);
}
std::string handed_on(std::string_view traceparent) {
  const auto trace = parse_trace(traceparent, "");
  return trace ? trace->traceparent : "";
}
std::string times(std::size_t count, char c) { return std::string(count, c); }

struct Row {
  std::string header;
  std::string handed_on;  // empty: the trace is invalid
};

TEST(TraceParents, OfTheSupportedVersionAreForwarded) {
  for (const Row& row : std::vector<Row>{
           {std::string{kParent}, std::string{kParent}},
           {parent("00", kTrace, "1234567890123456", "00"), parent("00", kTrace, "1234567890123456", "00")},
           {parent("00", kTrace, "1234567890123456", "02"), parent("00", kTrace, "1234567890123456", "02")},
           {parent("00", kTrace, "1234567890123456", "ff"), parent("00", kTrace, "1234567890123456", "03")}})
    EXPECT_EQ(handed_on(row.header), row.handed_on) << row.header;
}

TEST(TraceParents, OfLaterVersionsAreParsedByTheirKnownFields) {
  const std::string later = parent("cc", kTrace, "1234567890123456", "01");
  for (const Row& row :
       std::vector<Row>{{later, std::string{kParent}},
                        {later + "-what-the-future-will-be-like", std::string{kParent}},
                        {later + "-", std::string{kParent}},
                        {later + ".what-the-future-will-be-like", ""},
                        {later + "0", ""},
                        {parent("01", kTrace, "1234567890123456", "09"), std::string{kParent}}})
    EXPECT_EQ(handed_on(row.header), row.handed_on) << row.header;
}

TEST(TraceParents, AreIgnoredIfMalformed) {
  const std::string span = "1234567890123456";
  for (const std::string& bad :
       std::vector<std::string>{"",
                                "00",
                                std::string{kParent} + ".",
                                std::string{kParent} + "-what-the-future-will-be-like",
                                std::string{kParent} + "-",
                                std::string{kParent} + " ",
                                " " + std::string{kParent},
                                parent("ff", kTrace, span, "01"),
                                parent("FF", kTrace, span, "01"),
                                parent("cC", kTrace, span, "01"),
                                parent(".0", kTrace, span, "01"),
                                parent("0.", kTrace, span, "01"),
                                parent("000", kTrace, span, "01"),
                                parent("0000", kTrace, span, "01"),
                                parent("0", kTrace, span, "01"),
                                parent("00", times(32, '0'), span, "01"),
                                parent("00", ".2345678901234567890123456789012", span, "01"),
                                parent("00", "1234567890123456789012345678901.", span, "01"),
                                parent("00", "1234567890123456789012345678901A", span, "01"),
                                parent("00", "123456789012345678901234567890123", span, "01"),
                                parent("00", "1234567890123456789012345678901", span, "01"),
                                parent("00", kTrace, times(16, '0'), "01"),
                                parent("00", kTrace, ".234567890123456", "01"),
                                parent("00", kTrace, "123456789012345.", "01"),
                                parent("00", kTrace, "123456789012345A", "01"),
                                parent("00", kTrace, "12345678901234567", "01"),
                                parent("00", kTrace, "123456789012345", "01"),
                                parent("00", kTrace, span, ".0"),
                                parent("00", kTrace, span, "0."),
                                parent("00", kTrace, span, "001"),
                                parent("00", kTrace, span, "1"),
                                parent("00", kTrace, span, "0A"),
                                fmt::format("00_{}-{}-01", kTrace, span),
                                fmt::format("00-{}_{}-01", kTrace, span),
                                fmt::format("00-{}-{}_01", kTrace, span)}) {
    EXPECT_EQ(handed_on(bad), "") << bad;
    EXPECT_EQ(parse_trace(bad, "foo=1"), std::nullopt) << "a tracestate alone is none either: " << bad;
  }
}

TEST(TraceStates, AreForwardedInOrder) {
  std::string key = "abcdefghijklmnopqrstuvwxyz0123456789_-*/";
  std::string value;
  for (char c = ' '; c <= '~'; ++c) value += c == ',' || c == '=' ? std::string{} : std::string{c};
  const std::string system = key + "@a-z0-9_-*/";
  for (const Row& row :
       std::vector<Row>{{"", ""},
                        {"foo=1,bar=2", "foo=1,bar=2"},
                        {"foo=1,", "foo=1"},
                        {",foo=1", "foo=1"},
                        {"foo=1,bar=2,rojo=1,congo=2,baz=3", "foo=1,bar=2,rojo=1,congo=2,baz=3"},
                        {key + "=" + value, key + "=" + value},
                        {system + "=" + value, system + "=" + value},
                        {"0tenant@sys=1", "0tenant@sys=1"},
                        {"foo=1 \t , \t bar=2, \t baz=3", "foo=1,bar=2,baz=3"},
                        {"foo=1\t \t,\t \tbar=2,\t \tbaz=3", "foo=1,bar=2,baz=3"},
                        {" foo=1", "foo=1"},
                        {"\tfoo=1", "foo=1"},
                        {"foo=1 ", "foo=1"},
                        {"foo=1\t", "foo=1"},
                        {"\t foo=1 \t", "foo=1"},
                        {"foo= 1", "foo= 1"},
                        {"foo=1," + times(256, 'z') + "=1", "foo=1," + times(256, 'z') + "=1"},
                        {"foo=1," + times(241, 't') + "@" + times(14, 'v') + "=1",
                         "foo=1," + times(241, 't') + "@" + times(14, 'v') + "=1"},
                        {"foo=" + times(256, 'v'), "foo=" + times(256, 'v')}})
    EXPECT_EQ(parse_tracestate(row.header), row.handed_on) << row.header;
}

TEST(TraceStates, AreIgnoredIfMalformed) {
  for (const std::string& bad : std::vector<std::string>{"foo=1,foo=1",
                                                         "foo=1,foo=2",
                                                         "foo =1",
                                                         "FOO=1",
                                                         "foo.bar=1",
                                                         "foo@=1,bar=2",
                                                         "@foo=1,bar=2",
                                                         "foo@@bar=1,bar=2",
                                                         "foo@bar@baz=1,bar=2",
                                                         "0foo=1",
                                                         "foo@0bar=1",
                                                         "foo=1," + times(257, 'z') + "=1",
                                                         "foo=1," + times(242, 't') + "@v=1",
                                                         "foo=1,t@" + times(15, 'v') + "=1",
                                                         "foo=bar=baz",
                                                         "foo=,bar=3",
                                                         "foo",
                                                         "=1",
                                                         "foo=" + times(257, 'v'),
                                                         "foo=\x01",
                                                         "foo=\xc3\xa9",
                                                         "foo=1;bar=2=3"})
    EXPECT_EQ(parse_tracestate(bad), "") << bad;
}

TEST(TraceStates, HaveAtMostThirtyTwoMembers) {
  std::string members;
  for (int i = 1; i <= 32; ++i) members += fmt::format("{}bar{:02}={:02}", i == 1 ? "" : ",", i, i);
  EXPECT_EQ(parse_tracestate(members), members);
  EXPECT_EQ(parse_tracestate(members + ",bar33=33"), "");
}

TEST(TraceStates, AreTruncatedByWholeMembers) {
  const std::string shorts = "a=" + times(100, '1') + ",b=" + times(100, '2');
  const std::string is_long = "long=" + times(256, 'x');
  EXPECT_EQ(parse_tracestate(shorts + "," + is_long), shorts + "," + is_long)
      << "it has less than 512 characters";
  EXPECT_EQ(parse_tracestate(is_long + "," + shorts + ",c=" + times(100, '3')),
            shorts + ",c=" + times(100, '3'));
  std::string many;
  for (char c = 'a'; c <= 'h'; ++c) many += fmt::format("{}{}={}", c == 'a' ? "" : ",", c, times(100, '1'));
  const std::string left = parse_tracestate(many);
  EXPECT_LE(left.size(), 512U);
  EXPECT_EQ(left, many.substr(0, left.size())) << "the last ones are left out";
  EXPECT_GT(left.size(), 400U);
}

}  // namespace
}  // namespace pawl::wire
