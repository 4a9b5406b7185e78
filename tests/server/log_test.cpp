#include "server/log.hpp"

#include <gtest/gtest.h>

#include "runtime/env.hpp"

namespace pawl::server {
namespace {

std::string written(bool is_json, const std::string& why) {
  runtime::SystemClock clock;
  Log log{clock, {.is_json = is_json}};
  ::testing::internal::CaptureStderr();
  log.write(LogLevel::error, "request", {{"why", why}});
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, EscapesTerminalControlsAndLineBreaks) {
  for (const bool is_json : {false, true}) {
    const std::string line = written(is_json, "a\nb\x1b[2J\u009b\u202e");
    EXPECT_TRUE(line.ends_with("\n")) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_NE(line.find(R"("a\u000ab\u001b[2J\u009b\u202e")"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace pawl::server
