// The JSON that is accepted: RFC 8259, depth 64, well-formed UTF-8, no lone surrogates. Accepted text is kept
// byte for byte.

#include "core/json/json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/limits.hpp"
#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

std::string nested(int depth, const std::string& open, const std::string& close,
                   const std::string& core = "") {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += core;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

std::string in_quotes(std::string_view bytes) { return "\"" + std::string{bytes} + "\""; }

TEST(Json, OfEveryValidKindIsAccepted) {
  for (const char* text : {"null",
                           "true",
                           "false",
                           "0",
                           "-0",
                           "-0.0",
                           "1",
                           "12345678901234567890123",
                           "1.5",
                           "1e400",
                           "-1E-400",
                           "1e+5",
                           "\"\"",
                           "\"a\"",
                           "[]",
                           "{}",
                           "[ ]",
                           "{ }",
                           " \t\r\n1\n",
                           "[1,2]",
                           "[[],{}]",
                           R"({"a":1})",
                           R"({"a":{"b":[1]}})",
                           R"({"a":1,"a":2})",
                           R"({"":0})",
                           R"("\u0000")",
                           R"("\"\\\/\b\f\n\r\t")",
                           R"("\ud83d\ude00")",
                           R"("\uD83D\uDE00")",
                           R"("\uffff")",
                           "\"\x7f\"",
                           "\"\xc3\xbc\"",
                           "\"\xe2\x82\xac\"",
                           "\"\xf0\x9f\x98\x80\"",
                           "\"\xef\xbf\xbf\"",
                           "\"\xf4\x8f\xbf\xbf\"",
                           "\"\xed\x9f\xbf\"",
                           "\"\xee\x80\x80\""}) {
    EXPECT_EQ(json_error(text), std::nullopt) << text;
  }
}

TEST(Json, IsRejectedIfMalformed) {
  for (const char* text : {"",
                           " ",
                           "nul",
                           "nulll",
                           "True",
                           "NaN",
                           "Infinity",
                           "-",
                           "+1",
                           "01",
                           "-01",
                           "1.",
                           ".5",
                           "1.e5",
                           "1e",
                           "1e+",
                           "0x1",
                           "1_000",
                           "1 2",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[",
                           "]",
                           "[1",
                           "[}",
                           "{]",
                           "{",
                           "}",
                           R"({"a"})",
                           R"({"a":})",
                           R"({"a":1,})",
                           R"({,"a":1})",
                           R"({a:1})",
                           R"({'a':1})",
                           R"({"a":1 "b":2})",
                           R"({1:1})",
                           R"({"a"::1})",
                           "\"",
                           "\"a",
                           R"("\)",
                           R"("\x41")",
                           R"("\u12")",
                           R"("\u12g4")",
                           R"("\U0041")",
                           "'a'",
                           "// c\n1",
                           "/* c */1",
                           "1//",
                           "[1]x",
                           "{}{}",
                           "1,",
                           "\xef\xbb\xbf\x31",
                           "\xc2\xa0\x31",
                           "\v1",
                           "\f1",
                           "tru",
                           "[true",
                           "-a",
                           "--1",
                           "1-",
                           "1e1.5"}) {
    EXPECT_NE(json_error(text), std::nullopt) << text;
  }
}

TEST(Json, DeeperThan64IsRejected) {
  EXPECT_EQ(json_error(nested(64, "[", "]")), std::nullopt);
  EXPECT_NE(json_error(nested(65, "[", "]")), std::nullopt);
  EXPECT_EQ(json_error(nested(64, "{\"a\":", "}", "1")), std::nullopt);
  EXPECT_NE(json_error(nested(65, "{\"a\":", "}", "1")), std::nullopt);
  EXPECT_EQ(json_error(nested(32, "[{\"a\":", "}]", "1")), std::nullopt);
  EXPECT_NE(json_error(nested(33, "[{\"a\":", "}]", "1")), std::nullopt);
  EXPECT_EQ(json_error("[" + nested(63, "[", "]") + "," + nested(63, "[", "]") + "]"), std::nullopt)
      << "depth, not count";
  EXPECT_NE(json_error(std::string(1'000'000, '[')), std::nullopt) << "and costs no stack";
}

TEST(Json, WithRawControlBytesIsRejected) {
  for (char c = 0; c < 0x20; ++c) {
    EXPECT_NE(json_error(in_quotes(std::string_view{&c, 1})), std::nullopt) << static_cast<int>(c);
  }
  EXPECT_NE(json_error(std::string_view{"1\0", 2}), std::nullopt);
  EXPECT_NE(json_error(std::string_view{"\0", 1}), std::nullopt);
  EXPECT_NE(json_error(std::string_view{"{\0}", 3}), std::nullopt);
}

TEST(Json, IsRejectedIfNotUtf8) {
  const std::vector<std::pair<const char*, const char*>> kinds{
      {"a continuation alone", "\x80"},
      {"two of them", "\xbf\xbf"},
      {"overlong of two", "\xc0\xaf"},
      {"overlong of two, c1", "\xc1\xbf"},
      {"overlong of three", "\xe0\x9f\xbf"},
      {"overlong of four", "\xf0\x8f\xbf\xbf"},
      {"a high surrogate", "\xed\xa0\x80"},
      {"a low surrogate", "\xed\xbf\xbf"},
      {"above U+10FFFF", "\xf4\x90\x80\x80"},
      {"a lead of f5", "\xf5\x80\x80\x80"},
      {"five bytes", "\xf8\x88\x80\x80\x80"},
      {"ff", "\xff"},
      {"fe", "\xfe"},
      {"a cut character of two", "\xc3"},
      {"a cut character of three", "\xe2\x82"},
      {"a cut character of four", "\xf0\x9f\x98"},
      {"a wrong second byte", "\xc3\x28"},
      {"a wrong third byte", "\xe2\x82\x28"},
      {"a wrong fourth byte", "\xf0\x9f\x98\x28"},
  };
  for (const auto& [kind, bytes] : kinds) {
    EXPECT_NE(json_error(in_quotes(bytes)), std::nullopt) << kind;
    EXPECT_NE(json_error(in_quotes(std::string{bytes} + "abc")), std::nullopt) << kind;
    EXPECT_EQ(utf8_length(bytes), std::nullopt) << kind;
  }
  EXPECT_NE(json_error("\"\xc3"), std::nullopt) << "cut at the end of the text";
}

TEST(Json, WithALoneSurrogateEscapeIsRejected) {
  for (const char* text :
       {R"("\ud800")", R"("\udbffx")", R"("\udc00")", R"("\udfff")", R"("\ud800\u0041")", R"("\ud800\ud800")",
        R"("\ude00\ud83d")", R"("\ud83d\\ude00")", R"("\ud83d)", R"({"\ud800":1})"}) {
    EXPECT_NE(json_error(text), std::nullopt) << text;
  }
}

TEST(Json, ErrorsNameThePosition) {
  EXPECT_NE(json_error("[1,x]")->find("at byte 3"), std::string::npos);
  EXPECT_NE(json_error("[1] 2")->find("at byte 4"), std::string::npos);
}

// nlohmann/json differs by design in these cases only: it skips a byte order mark, ends at a NUL, refuses
// numbers outside the range of double, and has no depth limit.
bool is_documented_difference(const std::string& text, bool ours, bool theirs) {
  if (text.starts_with("\xef\xbb\xbf")) return !ours;
  if (text.find('\0') != std::string::npos) return !ours && theirs;
  if (ours && !theirs) return text.find_first_of("eE") != std::string::npos || text.size() > 300;
  int depth = 0;
  int deepest = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : (c == ']' || c == '}' ? -1 : 0);
    deepest = std::max(deepest, depth);
  }
  return !ours && theirs && deepest > kJsonDepthMax;
}

std::string mutated(std::string text, testing::SeededRandom& random) {
  static const std::string alphabet = "{}[]\",:\\u0019eE.+-tfnd8 \t\n\xc3\xbc\xed\xa0\x80\xf0\x9f";
  const auto changes = 1 + random.below(3);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const auto at = static_cast<std::size_t>(random.below(text.size() + 1));
    const char c =
        random.chance(0.1) ? static_cast<char>(random.below(256)) : alphabet[random.below(alphabet.size())];
    switch (random.below(4)) {
      case 0: text.insert(at, 1, c); break;
      case 1:
        if (at < text.size()) text[at] = c;
        break;
      case 2:
        if (at < text.size()) text.erase(at, 1 + random.below(3));
        break;
      default:
        text.insert(at, text.substr(static_cast<std::size_t>(random.below(text.size() + 1)), 6));
        break;
    }
  }
  return text;
}

TEST(Json, ParserAgreesWithNlohmann) {
  const std::vector<std::string> seeds{
      R"({"a":[1,2.5,-3e2,null,true,false,"x"],"b":{"c":{}},"d":"\u00fc\n"})",
      R"(["\ud83d\ude00","\"\\\/"," ü€😀"])",
      "-12.50e-3",
      R"("plain")",
      "[[[[]]],{}]",
      " [ 0 , -0 , 1E5 ] ",
      nested(63, "[", "]")};
  testing::SeededRandom random{20260129};
  int accepted = 0;
  constexpr int kRounds = 200'000;
  for (int i = 0; i < kRounds; ++i) {
    const std::string text = mutated(seeds[random.below(seeds.size())], random);
    const bool ours = !json_error(text).has_value();
    const bool theirs = nlohmann::json::accept(text);
    accepted += ours ? 1 : 0;
    ASSERT_TRUE(ours == theirs || is_documented_difference(text, ours, theirs))
        << "round " << i << ", ours " << ours << ": " << ::testing::PrintToString(text);
  }
  EXPECT_GT(accepted, kRounds / 20) << "or the mutations prove nothing";
  EXPECT_LT(accepted, kRounds - kRounds / 20);
}

TEST(Json, QuotesAnyText) {
  const std::string text{"a\"b\\c\n\x01\0ü", 10};
  const std::string quote = json_quote(text);
  EXPECT_EQ(json_error(quote), std::nullopt);
  EXPECT_EQ(nlohmann::json::parse(quote).get<std::string>(), text);
}

TEST(Json, QuotesLongTexts) {
  EXPECT_EQ(json_quote(""), R"("")");
  EXPECT_EQ(json_quote(R"({"a\":"ü"})"), R"("{\"a\\\":\"ü\"}")");
  // Characters to escape before, at and after the boundaries of the blocks that are written at once.
  for (const std::size_t length : {4'095U, 4'096U, 4'097U, 10'000U}) {
    for (const char special : {'"', '\\', '\n', '\x1f', '\x7f'}) {
      std::string text(length, 'x');
      for (const std::size_t at : {std::size_t{0}, length / 2, length - 1}) text[at] = special;
      const std::string quote = json_quote(text);
      EXPECT_EQ(json_error(quote), std::nullopt) << length << ' ' << int{special};
      EXPECT_EQ(nlohmann::json::parse(quote).get<std::string>(), text) << length << ' ' << int{special};
    }
  }
}

// Texts are scanned eight bytes at a time: each byte at each place of texts around that size.
TEST(Json, ScannerFindsASpecialByteAtEachPositionOfAWord) {
  for (std::size_t length = 1; length <= 25; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text(length, '~');
        text[at] = static_cast<char>(byte);
        const std::string quoted = json_quote(text);
        ASSERT_EQ(nlohmann::json::parse(quoted).get<std::string>(), text)
            << length << ' ' << at << ' ' << byte;
        ASSERT_EQ(json_error(quoted), std::nullopt) << length << ' ' << at << ' ' << byte;
        const bool is_refused = byte < 0x20 || byte == '"' || byte == '\\';
        ASSERT_EQ(json_error('"' + text + '"').has_value(), is_refused) << length << ' ' << at << ' ' << byte;
      }
      std::string text(length, '~');
      text[at] = '\xff';
      ASSERT_TRUE(json_error('"' + text + '"').has_value()) << length << ' ' << at;
    }
  }
}

TEST(Utf8, IsProducedFromAnyBytes) {
  constexpr const char* kReplaced = "\xef\xbf\xbd";
  EXPECT_EQ(as_utf8(""), "");
  EXPECT_EQ(as_utf8("größer \xf0\x9f\x98\x80"), "größer \xf0\x9f\x98\x80");
  EXPECT_EQ(as_utf8("a\xff"
                    "b"),
            std::string{"a"} + kReplaced + "b");
  EXPECT_EQ(as_utf8("\xc3"), kReplaced) << "a character that was cut off";
  for (const std::string bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x28\xa1", "\x80\xbf"})
    EXPECT_TRUE(utf8_length(as_utf8(bad)).has_value());
}

TEST(Utf8, IsCountedInCharacters) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("abc"), 3U);
  EXPECT_EQ(utf8_length("ü€😀"), 3U);
  EXPECT_EQ(utf8_length(std::string_view{"\0", 1}), 1U);
}

}  // namespace
}  // namespace pawl::core
