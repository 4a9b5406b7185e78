#include "core/base/printable.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

TEST(Printable, KeepsTextInAllLanguages) {
  for (const char* text :
       {"", "plain", "two\nlines\tand a tab", "größer 日本語 ça 😀 👍🏽", "שלום", "…", "\xEF\xBF\xBD"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesAsciiControls) {
  EXPECT_EQ(printable("a\x1b[2Jb\rc\x07\x7f"), "a [2Jb c  ");
  EXPECT_EQ(printable(std::string_view{"a\0b", 3}), "a b");
}

TEST(Printable, EscapesC1Controls) { EXPECT_EQ(printable("a\u009b2Jb\u0085"), "a\\u009b2Jb\\u0085"); }

TEST(Printable, EscapesCharactersThatReorderOrHideText) {
  EXPECT_EQ(printable("pay\u202efdp.exe"), "pay\\u202efdp.exe");
  EXPECT_EQ(printable("\u2066a\u2069\u200e\u061c"), "\\u2066a\\u2069\\u200e\\u061c");
  EXPECT_EQ(printable("ad\u200bmin\ufeff\u2060\u00ad"), "ad\\u200bmin\\ufeff\\u2060\\u00ad");
  EXPECT_EQ(printable("\U000e0041"), "\\udb40\\udc41");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\x9b"
                      "2J"),
            "a\\x9b2J");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate pair";
  EXPECT_EQ(printable("\xff\xc2\x9b"), "\\xff\\u009b");
}

}  // namespace
}  // namespace pawl::core
