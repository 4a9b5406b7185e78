// Promises: what they wait for, and the tokens with which external systems complete them.

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

using Promises = SdkTest;

TEST_P(Promises, CanBeCompletedFromOutside) {
  Effects tokens;
  Worker worker{client, leaving()};
  worker.workflow("pay", [&](Workflow& wf) {
    const auto payment = wf.promise<int>("payment");
    wf.step("send link", [&] { tokens.add(payment.token()); });
    return payment.get();
  });
  worker.start();
  const auto paid = client.start("pay");
  ASSERT_TRUE(eventually([&] { return tokens.all().size() == 1; }));
  client.complete_promise(tokens.all()[0], 42);
  client.complete_promise(tokens.all()[0], 43);
  EXPECT_EQ(paid.result<int>(30s), 42);
  const auto refused = client.start("pay");
  ASSERT_TRUE(eventually([&] { return tokens.all().size() == 2; }));
  client.fail_promise(tokens.all()[1], Failure{"declined", "no money"});
  EXPECT_EQ(failure_of(refused).code(), "declined");
}

TEST_P(Promises, HaveStableAndUnguessableTokens) {
  Effects tokens;
  Worker worker{client, leaving()};
  worker.workflow("pay", [&](Workflow& wf) {
    const auto first = wf.promise<int>("payment");
    const auto second = wf.promise<int>("payment");
    tokens.add(first.token() + " " + second.token());
    wf.sleep(1ms);
    return first.get() + second.get();
  });
  worker.start();
  const auto run = client.start("pay");
  ASSERT_TRUE(eventually([&] { return run.state() == "sleeping" && tokens.all().size() >= 2; }));
  const std::string both = tokens.all().front();
  const std::string first = both.substr(0, both.find(' '));
  const std::string second = both.substr(both.find(' ') + 1);
  EXPECT_NE(first, second);
  constexpr std::size_t kRunIdAndColon = 37;
  EXPECT_EQ(first.substr(0, kRunIdAndColon), run.id() + ":");
  EXPECT_EQ(first.size(), kRunIdAndColon + 22) << first;

  client.complete_promise(run.id() + ":payment", 1);  // the token format of older versions
  client.complete_promise(first, 40);
  client.complete_promise(second, 2);
  EXPECT_EQ(run.result<int>(30s), 42);
  for (const std::string& line : tokens.all()) EXPECT_EQ(line, both);
}

#ifdef PAWL_SDK_OVER_HTTP
TEST(OpenPromises, StartedByAnOlderVersionKeepTheirTokens) {
  const Place place{Way::http};
  const Client client = connect(place.address());
  runtime::SystemRandom random;
  client::HttpApi older{{.address = *client::parse_http_address(place.address())}, random};
  const auto run = client.start("pay");
  const auto claimed = older.claim({.worker_id = "older", .types = {"workflow:pay"}, .max = 1, .wait = 20s});
  ASSERT_TRUE(claimed.ok());
  ASSERT_EQ(claimed->size(), 1U);
  const core::Task& body = claimed->front().task;
  const auto written = older.write_steps({.run_id = core::RunId{*core::parse_uuid(run.id())},
                                          .body = body.id,
                                          .fence = body.lease->fence,
                                          .steps = {{.action = core::StepAction::begin,
                                                     .step_id = "payment",
                                                     .kind = core::StepKind::signal,
                                                     .signal = "promise:payment"}},
                                          .suspend = core::SuspendBody{.steps = {"payment"}}});
  ASSERT_TRUE(written.ok()) << written.problem().detail;

  Effects tokens;
  Worker worker{client, leaving()};
  worker.workflow("pay", [&](Workflow& wf) {
    const auto payment = wf.promise<int>("payment");
    tokens.add(payment.token());
    return payment.get();
  });
  worker.start();
  client.complete_promise(run.id() + ":payment", 42);
  EXPECT_EQ(run.result<int>(30s), 42);
  EXPECT_EQ(tokens.all().front(), run.id() + ":payment");
}
#endif

PAWL_ON_EVERY_WAY(Promises);

}  // namespace
}  // namespace pawl::testing
