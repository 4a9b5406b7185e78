#include "cli/print.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include "cli/doctor.hpp"
#include "cli/redact.hpp"
#include "cli/task_dead.hpp"
#include "cli/top.hpp"

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

TEST(Tables, AlignTheirColumnsByCharacters) {
  EXPECT_EQ(
      table_lines({{"NAME"}, {"N", true}, {"WHY"}}, {{{"ü"}, {"10"}, {"x"}}, {{"abcdef"}, {"7"}}}, false),
      (std::vector<std::string>{"NAME     N  WHY", "ü       10  x", "abcdef   7  "}));
}

TEST(Tables, EscapeTextThatWouldMoveTheCursor) {
  EXPECT_EQ(table_lines({{"A"}}, {{{"x\x1b[2J\ny"}}}, false)[1], "x [2J y");
}

TEST(Tables, EscapeAndAlignCharactersThatReorderOrHideText) {
  EXPECT_EQ(table_lines({{"A"}, {"B"}}, {{{"a\u202eb"}, {"c\u009b2J"}}, {{"abcdefghij"}, {"d"}}}, false),
            (std::vector<std::string>{"A           B", "a\\u202eb    c\\u009b2J", "abcdefghij  d"}));
}

// Captures output to a pseudo-terminal.
class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    if (openpty(&master_, &slave_, nullptr, nullptr, nullptr) != 0) std::abort();
    terminal = fdopen(slave_, "w");
  }
  void TearDown() override {
    std::fclose(terminal);
    close(master_);
  }
  std::string shown() {
    std::fflush(terminal);
    std::string text(65'536, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(master_, text.data(), text.size()), 0)));
    return text;
  }

  std::FILE* terminal = nullptr;

 private:
  int master_ = -1;
  int slave_ = -1;
};

TEST_F(TerminalTest, ReceivesNoControlCharactersFromAServer) {
  const Printer printer{terminal, terminal, true};
  printer.line("{\"payload\":\"a\u009b2Jb\u202ec\u200bd\"}");
  EXPECT_EQ(shown(), "{\"payload\":\"a\\u009b2Jb\\u202ec\\u200bd\"}\r\n") << "still the same JSON";
  printer.line("a\x1b[2Jb\x1b]0;title\x07" + printer.painted("red", Colour::red) + "\x1b[8m");
  EXPECT_EQ(shown(), "a [2Jb ]0;title \x1b[31mred\x1b[0m [8m\r\n");
  printer.warn("x\x1b[2J\u202e");
  EXPECT_EQ(shown(), "pawl: x [2J\\u202e\r\n");
  printer.problem("pawl", {.code = core::ProblemCode::conflict,
                           .detail = "no\u009b2J",
                           .errors = {{"f\u202e", "other\x1b[1m"}, {"g\u202e", "other\x1b[1m"}}});
  EXPECT_EQ(shown(), "pawl: no\\u009b2J\r\n  f\\u202e: other [1m\r\n  g\\u202e: other [1m\r\n");
}

TEST_F(TerminalTest, ReceivesNoControlCharactersOrPasswordsOfRejectedArguments) {
  Printer printer{terminal, terminal, true};
  printer.wrong_usage("there is no command 'x\x1b[2J\u202e'\nThe commands are: run");
  EXPECT_EQ(shown(), "there is no command 'x [2J\\u202e'\r\nThe commands are: run\r\n");
  printer.wrong_usage("pawl serve does not take 'postgres://bob:secret@h/db'");
  EXPECT_EQ(shown(), "pawl serve does not take 'postgres://bob:***@h/db'\r\n");
  printer.hide("se%zz");
  printer.warn("bad 'host=h password=secret' and \"se%zz\"");
  EXPECT_EQ(shown(), "pawl: bad 'host=h password=***' and \"***\"\r\n");
}

TEST(Lines, ForProgramsAreUnchanged) {
  std::FILE* file = std::tmpfile();
  const Printer printer{file, file, false};
  printer.line("{\"payload\":\"a\u009b\u202e\"}");
  std::rewind(file);
  std::string text(100, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_EQ(text, "{\"payload\":\"a\u009b\u202e\"}\n");
}

TEST(Colours, AppearOnlyOnRequest) {
  EXPECT_EQ(paint("x", Colour::red, true), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(paint("x", Colour::red, false), "x");
}

TEST(Times, AreShownInTheirLargestUnit) {
  const core::TimePoint now{100h};
  EXPECT_EQ(relative_time(now - 90s, now), "1m ago");
  EXPECT_EQ(relative_time(now + 49h, now), "in 2d");
  EXPECT_EQ(short_duration(0s), "0s");
}

TEST(Durations, AreShownInTheirTwoLargestUnits) {
  EXPECT_EQ(readable_duration("880010.424ms"), "14m 40s");
  EXPECT_EQ(readable_duration("3h"), "3h");
  EXPECT_EQ(readable_duration("95400s"), "1d 2h");
  EXPECT_EQ(readable_duration("1500ms"), "1s");
  EXPECT_EQ(readable_duration("20ms"), "20ms");
  EXPECT_EQ(readable_duration(""), "");
}

TEST(Printer, ShowsNoPassword) {
  EXPECT_EQ(without_passwords("not 'postgre://bob:se@cret@h/x'"), "not 'postgre://bob:***@h/x'");
  EXPECT_EQ(without_passwords("a://b@h:1/x and c://d:e@h"), "a://b@h:1/x and c://d:***@h");
  EXPECT_EQ(without_passwords("host=h password='a b' x=1"), "host=h password=*** x=1");
  EXPECT_EQ(without_passwords("postgres://bob:it's@h/db"), "postgres://bob:***@h/db");
  EXPECT_EQ(without_passwords(R"(not "postgres://bob:a"b@h/x")"), R"(not "postgres://bob:***@h/x")");
  EXPECT_EQ(without_passwords(R"(password='a\'b c' x=1)"), "password=*** x=1");
  EXPECT_EQ(without_passwords("password = secret host=h"), "password = *** host=h");
  EXPECT_EQ(without_passwords("bad 'host=h password=it's'"), "bad 'host=h password=***'");
  EXPECT_EQ(without_passwords("its password is wrong: password=x"), "its password is wrong: password=***");
  EXPECT_EQ(password_in("postgres://bob:it's@h/db"), "it's");
  EXPECT_EQ(without_quoted(R"(bad token: "sec%zz")", password_in("postgres://bob:sec%zz@h")),
            R"(bad token: "***")");
  EXPECT_EQ(without_quoted(R"(no host "cret@h")", password_in("postgres://bob:se@cret@h/x")),
            R"(no host "***@h")");
  EXPECT_EQ(without_quoted("as it is", password_in("postgres://bob@h/x")), "as it is");
}

TEST(LongText, IsTruncatedBetweenCharacters) {
  EXPECT_EQ(shortened("üüü", 3), "üüü");
  EXPECT_EQ(shortened("üüüü", 3), "üü…");
}

TEST(DeadLetters, AreGroupedByErrorAndTypeTheLargestFirst) {
  DeadGroups groups;
  groups.add(R"({"id":"1","type":"a","error":{"code":"x","message":"m1"}})");
  groups.add(R"({"id":"2","type":"b","error":{"code":"x","message":"m2"}})");
  groups.add(R"({"id":"3","type":"b","error":{"code":"x","message":"m3"}})");
  const auto sorted = groups.sorted();
  ASSERT_EQ(sorted.size(), 2U);
  EXPECT_EQ(sorted[0].count, 2);
  EXPECT_EQ(sorted[0].newest_id, "2");
}

TEST(Doctor, DetectsClockSkew) {
  const auto date = "Sun, 06 Nov 1994 08:49:37 GMT";
  const auto at = *parse_http_date(date);
  EXPECT_EQ(core::format_time(at), "1994-11-06T08:49:37.000000Z");
  EXPECT_EQ(clock_finding(date, at + 2s).verdict, Verdict::ok);
  EXPECT_EQ(clock_finding(date, at + 10s).verdict, Verdict::warning);
  EXPECT_EQ(clock_finding("", at).verdict, Verdict::warning);
}

TEST(Top, ShowsTheChangesSinceTheLastRefresh) {
  const auto queues = [](int pending) {
    return Json::array({{{"name", "q"}, {"counts", {{"pending", pending}, {"running", 1}}}}});
  };
  const auto workers = [](int completed) {
    return Json::array({{{"worker_id", "w"}, {"total_completed", completed}}});
  };
  const Look before{.at = core::MonotonicTime{1s}, .queues = queues(5), .workers = workers(10)};
  const Look now{.at = core::MonotonicTime{3s}, .queues = queues(8), .workers = workers(30)};
  const auto lines = frame_lines(before, now, false);
  EXPECT_NE(lines[0].find("completed 10.0/s"), std::string::npos);
  EXPECT_NE(lines[3].find("+3"), std::string::npos);
  EXPECT_NE(frame_lines(std::nullopt, now, false)[0].find("completed -"), std::string::npos);
  EXPECT_EQ(Json::parse(frame_json(before, now)), (Json{{"queues", now.queues},
                                                        {"workers", now.workers},
                                                        {"completed_per_second", 10.0},
                                                        {"failed_per_second", 0.0}}));
  EXPECT_TRUE(Json::parse(frame_json(std::nullopt, now))["completed_per_second"].is_null());
}

}  // namespace
}  // namespace pawl::cli
