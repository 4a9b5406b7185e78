// Error messages, and calls that survive a server restart.

#include <thread>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

class SdkErrors : public SdkTest {};

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + ": " + error.detail();
  }
  return "";
}

TEST_P(SdkErrors, NameTheUndecodableSignal) {
  Worker worker{client, quiet()};
  worker.workflow("ask", [](Workflow& wf) { return wf.signal<int>("approved").value_or(0); });
  worker.start();
  const auto run = client.start("ask");
  run.signal("approved", Json{{"ok", "yes"}});
  const RunFailed failed = failure_of(run);
  EXPECT_EQ(failed.code(), "invalid_payload");
  EXPECT_EQ(failed.detail(), "signal 'approved': type must be number, but is object");
}

TEST_P(SdkErrors, NameTheStepWithAnUndecodableStoredResult) {
  std::atomic<bool> is_new_code = false;
  Worker worker{client, leaving()};
  worker.workflow("w", [&](Workflow& wf) {
    if (is_new_code) return wf.step("count", [] { return 1; });
    const std::string text = wf.step("count", [] { return "one"; });
    is_new_code = true;
    wf.sleep(1ms);
    return 0;
  });
  worker.start();
  const auto run = client.start("w");
  ASSERT_TRUE(eventually([&] { return run.state() == "paused"; })) << run.state();
  EXPECT_EQ(
      run.info().custom_status.value_or(""),
      "expected step 'sleep', found the failure 'invalid_payload': result of step 'count': type must be "
      "number, but is string");
}

TEST_P(SdkErrors, NameTheStatusThatIsTooLong) {
  Worker worker{client, quiet()};
  worker.workflow("w", [](Workflow& wf) { wf.set_status(std::string(600, 'x')); });
  worker.start();
  const RunFailed failed = failure_of(client.start("w"));
  EXPECT_EQ(failed.code(), "invalid_argument");
  EXPECT_TRUE(failed.detail().starts_with("set_status: custom_status: ")) << failed.detail();
  EXPECT_NE(failed.detail().find("512"), std::string::npos) << failed.detail();
}

TEST_P(SdkErrors, KeepTheTextOfTheExceptionThatParkedARun) {
  std::atomic<bool> is_new_code = false;
  Worker worker{client, leaving()};
  worker.workflow("w", [&](Workflow& wf) {
    if (is_new_code) throw std::runtime_error("the price list is empty");
    wf.step("reserve", [] {});
    is_new_code = true;
    wf.sleep(1ms);
  });
  worker.start();
  const auto run = client.start("w");
  ASSERT_TRUE(eventually([&] { return run.state() == "paused"; })) << run.state();
  EXPECT_EQ(run.info().custom_status.value_or(""),
            "expected step 'reserve', found the failure 'exception': the price list is empty");
}

TEST(SdkAddresses, OfAnUnknownFormAreRejectedWithTheKnownForms) {
  const std::string forms =
      "sqlite:FILE, postgres://USER@HOST/DATABASE, postgres:CONNINFO, memory:, http://HOST:PORT, "
      "https://HOST:PORT";
  EXPECT_EQ(refusal_of([] { (void)connect("mysql://root:secret@x"); }),
            "invalid_argument: address: 'mysql://…' is none of the known forms: " + forms);
  EXPECT_EQ(refusal_of([] { (void)connect("orders.db"); }),
            "invalid_argument: address: 'orders.db' is none of the known forms: " + forms);
}

#ifdef PAWL_SDK_OVER_HTTP

TEST(SdkWaits, OutliveARestartOfTheServer) {
  Place place{Way::http};
  const Client client = connect(place.address());
  Worker worker{client, leaving()};
  worker.workflow("ask", [](Workflow& wf) { return wf.signal<int>("number").value_or(0); });
  worker.start();
  const auto run = client.start("ask");
  ASSERT_TRUE(eventually([&] { return run.state() == "sleeping"; }));
  int result = 0;
  std::string refusal;
  std::thread waits{[&] { refusal = refusal_of([&] { result = run.result<int>(30s); }); }};
  for (int i = 0; i < 3; ++i) {
    place.close_server();
    EXPECT_NE(refusal_of([&] { (void)run.state(); }), "");
    place.open_server();
    EXPECT_EQ(run.state(), "sleeping");
  }
  run.signal("number", 42);
  waits.join();
  EXPECT_EQ(refusal, "");
  EXPECT_EQ(result, 42);
}

TEST(SdkWaits, TimeOutWhileTheServerIsDown) {
  Place place{Way::http};
  const Client client = connect(place.address());
  const auto run = client.start("nothing");
  place.close_server();
  EXPECT_TRUE(refusal_of([&] { run.wait(50ms); }).starts_with("unavailable: "));
}

#endif

PAWL_ON_EVERY_WAY(SdkErrors);

}  // namespace
}  // namespace pawl::testing
