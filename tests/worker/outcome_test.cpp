#include "worker/outcome.hpp"

#include <gtest/gtest.h>

namespace pawl::worker {
namespace {

TEST(OutcomeOfAProcess, IsCompletionWithTheOutputOnExitZero) {
  EXPECT_EQ(outcome_of(ProcessEnd{.exit_code = 0, .output = " {\"a\":1.0}\n"}).output, "{\"a\":1.0}");
  EXPECT_EQ(outcome_of(ProcessEnd{.exit_code = 0, .output = "all \"well\"\n"}).output, R"("all \"well\"")");
  EXPECT_EQ(outcome_of(ProcessEnd{.exit_code = 0}).output, "null");
}

TEST(OutcomeOfACall, IsNotRetriedIfItCouldNotBeSent) {
  const auto unsent = outcome_of(
      core::Result<client::HttpAnswer>{core::invalid_field("idempotency-key", "has a control character")});
  EXPECT_EQ(unsent.code, "invalid_argument");
  EXPECT_FALSE(unsent.retryable);
}

TEST(OutcomeOfAProcess, IsFailureWithACodeForAnyOtherEnd) {
  EXPECT_EQ(outcome_of(ProcessEnd{.exit_code = 75, .error_tail = "later\n"}),
            failure("exit_75", "later", true));
  EXPECT_EQ(outcome_of(ProcessEnd{.signal = 9}).code, "signal_9");
  EXPECT_EQ(outcome_of(ProcessEnd{.exit_code = 0, .output_too_long = true}).retryable, false);
  EXPECT_EQ(outcome_of(ProcessEnd{.start_error = "no"}).code, "not_started");
}

TEST(OutcomeOfACall, IsCompletionOnSuccessAndRetriedByTheStatus) {
  EXPECT_EQ(outcome_of(client::HttpAnswer{.status = 200, .body = "[1]"}).output, "[1]");
  EXPECT_EQ(outcome_of(client::HttpAnswer{.status = 503, .body = "busy"}), failure("http_503", "busy", true));
  EXPECT_EQ(outcome_of(client::HttpAnswer{.status = 400, .body = "bad"}), failure("http_400", "bad", false));
  EXPECT_EQ(outcome_of(client::HttpAnswer{.status = 302}).retryable, false);
}

TEST(OutcomeOfACall, IsRetriedForALostServerAndNotForAForbiddenAddress) {
  EXPECT_TRUE(outcome_of(core::Problem{.code = core::ProblemCode::unavailable, .detail = "gone"}).retryable);
  EXPECT_FALSE(
      outcome_of(core::Problem{.code = core::ProblemCode::forbidden, .detail = "private"}).retryable);
}

TEST(OutputText, IsConvertedToUtf8) { EXPECT_EQ(as_utf8("a\xff\xc3\xbc\xc3"), "a\xEF\xBF\xBDü\xEF\xBF\xBD"); }

TEST(ReportText, EmbedsTheOutputUnchanged) {
  EXPECT_EQ(report_text("t", 3, {.output = "1.0"}),
            R"({"task_id":"t","fence":3,"action":"complete","output":1.0})");
  EXPECT_EQ(
      report_text("t", 3, failure("c", "m", false)),
      R"({"task_id":"t","fence":3,"action":"fail","error":{"code":"c","message":"m","retryable":false}})");
}

}  // namespace
}  // namespace pawl::worker
