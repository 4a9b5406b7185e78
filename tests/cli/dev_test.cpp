// pawl dev: one command for a server and a worker, which come back when they are killed and go with it.
#include <charconv>
#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/supervise.hpp"
#include "tests/cli/live_server.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/env.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

class PawlDev : public ::testing::Test {
 protected:
  PawlDev()
      : dev({"dev", "--listen", "127.0.0.1:0", "--data", folder.path() + "/data", "--handle", "echo=cat"}) {
    const std::string first = dev.read_line();
    EXPECT_NE(first.find("http://"), std::string::npos) << first;
    address = first.substr(std::min(first.size(), first.find("http://")));
  }

  Ended pawl(std::vector<std::string> arguments) const {
    return run_pawl(std::move(arguments), {{"PAWL_ADDRESS", address}, {"PAWL_TOKEN", token}});
  }

  bool completes_a_task() const {
    const auto made =
        nlohmann::json::parse(pawl({"task", "enqueue", "echo", "7", "--json"}).out, nullptr, false);
    if (made.is_discarded()) return false;
    const std::string id = made["task"]["id"];
    return await([&] {
      return pawl({"task", "show", id, "--json"}).out.find("completed") != std::string::npos;
    });
  }

  TemporaryFolder folder;
  Program dev;
  std::string address;
  std::string token;
};

TEST_F(PawlDev, ServesAndWorksAndEndsInGoodOrder) {
  EXPECT_TRUE(completes_a_task());
  dev.signal(SIGINT);
  EXPECT_EQ(dev.wait(), 0) << dev.err();
  EXPECT_EQ(pawl({"task", "list"}).exit_code, 3);
}

TEST_F(PawlDev, AKilledServerComesBackWithWhatItHad) {
  ASSERT_TRUE(completes_a_task());
  ASSERT_TRUE(dev.read_until("(kill -9 it"));
  const std::string out = dev.out();
  const std::size_t at = out.find_first_of("0123456789", out.find("process"));
  pid_t server = 0;
  std::from_chars(out.data() + at, out.data() + out.size(), server);
  ASSERT_GT(server, 1);
  kill(server, SIGKILL);
  EXPECT_TRUE(await([&] { return completes_a_task(); }));
  EXPECT_NE(pawl({"task", "list"}).out.find("echo"), std::string::npos);
}

TEST_F(PawlDev, ItsProcessesDoNotOutliveIt) {
  ASSERT_TRUE(completes_a_task());
  dev.signal(SIGKILL);
  EXPECT_TRUE(await([&] { return pawl({"task", "list"}).exit_code == 3; }));
}

TEST_F(PawlDev, ItsWorkerGoesOnWhenEveryCallNeedsAToken) {
  ASSERT_TRUE(completes_a_task());
  const auto made =
      nlohmann::json::parse(pawl({"token", "create", "--role", "admin", "--for", "*", "--json"}).out);
  token = made["token"];
  EXPECT_TRUE(completes_a_task());
  dev.signal(SIGINT);
  EXPECT_EQ(dev.wait(), 0) << dev.err();
  EXPECT_NE(dev.err().find("the worker has one of its own"), std::string::npos) << dev.err();
  const auto store = "sqlite:" + folder.path() + "/data/pawl.db";
  const auto left = run_pawl({"token", "list", "--store", store}).out;
  EXPECT_NE(left.find("pawl dev"), std::string::npos) << left;
  EXPECT_NE(left.find("revoked"), std::string::npos) << left;
}

TEST(PawlDevRests, LongerAndLongerBeforeItStartsWhatKeepsDying) {
  using namespace std::chrono_literals;
  ManualClock clock;
  cli::Rest rest{clock};
  const auto rested = [&] {
    rest.started();
    core::Duration waited{0};
    for (; !rest.is_over(); waited += 500ms) clock.advance(500ms);
    return waited;
  };
  EXPECT_EQ(rested(), 500ms);
  EXPECT_EQ(rested(), 1s);
  EXPECT_EQ(rested(), 2s);
  for (int i = 0; i < 10; ++i) (void)rested();
  EXPECT_EQ(rested(), 30s);
  rest.started();
  clock.advance(10s);
  EXPECT_FALSE(rest.is_over()) << "it lived well: from the beginning again";
  clock.advance(500ms);
  EXPECT_TRUE(rest.is_over());
}

TEST(PawlDevWarns, OnceAlsoWithTheProcessesItStarts) {
  const TemporaryFolder folder;
  Program dev{{"dev", "--listen", "127.0.0.1:0", "--data", folder.path(), "--handle", "t=true"},
              {{"PAWL_ADRESS", "x"}}};
  ASSERT_TRUE(dev.read_until("Ctrl-C"));
  dev.signal(SIGINT);
  EXPECT_EQ(dev.wait(), 0) << dev.err();
  const std::size_t first = dev.err().find("PAWL_ADRESS");
  EXPECT_NE(first, std::string::npos) << dev.err();
  EXPECT_EQ(dev.err().find("PAWL_ADRESS", first + 1), std::string::npos) << dev.err();
}

TEST(PawlDevRefuses, AnAddressThatOthersCanReach) {
  EXPECT_EQ(run_pawl({"dev", "--listen", "0.0.0.0:0"}).exit_code, 2);
}

}  // namespace
}  // namespace pawl::testing
