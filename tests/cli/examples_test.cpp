// Runs each workflow example with a real server and a real worker, as its page describes.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"
#include "tests/places/places.hpp"

namespace pawl::testing {
namespace {

const std::string kRoot = source_dir();

std::string text_of(const std::string& path) {
  std::ifstream file{path};
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Example : public ::testing::Test {
 protected:
  // Puts the example's definitions and starts a worker with the handlers that its page names.
  void begin(const std::string& name) {
    const std::string folder = kRoot + "/examples/" + name;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      if (entry.path().extension() == ".yaml") apply(entry.path().string());
    }
    std::vector<std::string> words{"worker"};
    const std::string page = text_of(folder + "/README.md");
    const std::regex handle{"--handle '([^'=]+)=([^']+)'"};
    for (auto found = std::sregex_iterator{page.begin(), page.end(), handle}; found != std::sregex_iterator{};
         ++found)
      words.insert(words.end(), {"--handle", (*found)[1].str() + "=" + kRoot + "/" + (*found)[2].str()});
    ASSERT_GT(words.size(), 1U) << "the page names no handler";
    Variables variables = server.variables();
    variables.emplace("ORDER_LEDGER", server.file("ledger"));
    variables.emplace("AGENT_CRASHES", "8");
    worker = std::make_unique<Program>(words, variables);
  }

  void apply(const std::string& file) {
    const Ended applied = server.pawl({"workflow", "apply", file});
    ASSERT_EQ(applied.exit_code, 0) << applied.err;
  }

  std::string start(const std::string& workflow, const std::string& input) {
    const Ended started = server.pawl({"run", "start", workflow, input, "--json"});
    EXPECT_EQ(started.exit_code, 0) << started.err;
    return nlohmann::json::parse(started.out)["run"]["id"];
  }

  nlohmann::json run(const std::string& id) {
    return nlohmann::json::parse(server.pawl({"run", "show", id, "--json"}).out);
  }

  nlohmann::json await_state(const std::string& id, const std::string& state) {
    EXPECT_TRUE(await([&] { return run(id)["state"] == state; })) << run(id).dump(1);
    return run(id);
  }

  nlohmann::json task(const std::string& id, const std::string& task) {
    const nlohmann::json whole = run(id);
    for (const auto& one : whole["tasks"]) {
      if (one["id"] == task) return one;
    }
    return {};
  }

  LiveServer server;
  std::unique_ptr<Program> worker;
};

class OrderFulfilment : public Example {
 protected:
  OrderFulfilment() { begin("order-fulfilment"); }
  std::string ledger() const { return text_of(server.file("ledger")); }
};

TEST_F(OrderFulfilment, ShipsASuccessfulOrder) {
  const Ended ended =
      server.pawl({"run", "start", "order-fulfilment", R"({"order":"A-1","card":"slow"})", "--wait"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("workflow_completed"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("✓ charge"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("attempt 2"), std::string::npos) << "the bank did not answer at first";
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos) << "no colours in a pipe";
  EXPECT_EQ(ledger(), "reserve A-1\ncharge A-1\nship A-1\n");
}

TEST_F(OrderFulfilment, ReleasesTheStockWhenThePaymentFails) {
  const Ended ended =
      server.pawl({"run", "start", "order-fulfilment", R"({"order":"A-2","card":"declined"})", "--wait"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("compensated"), std::string::npos) << ended.err;
  EXPECT_NE(ended.out.find("↩ release"), std::string::npos) << ended.out;
  EXPECT_EQ(ledger(), "reserve A-2\nrelease A-2\n");
}

TEST_F(OrderFulfilment, PrintsOneJsonDocumentWhenAwaited) {
  const std::vector<std::string> words{
      "run", "start", "order-fulfilment", R"({"order":"A-5","card":"declined"})", "--key", "A-5", "--json"};
  std::vector<std::string> and_wait = words;
  and_wait.emplace_back("--wait");
  const Ended waited = server.pawl(and_wait);
  EXPECT_EQ(waited.exit_code, 1);
  const auto document = nlohmann::json::parse(waited.out);
  EXPECT_EQ(document["created"], true);
  EXPECT_EQ(document["run"]["state"], "compensated");
  const auto again = nlohmann::json::parse(server.pawl(words).out);
  EXPECT_EQ(again["created"], false);
  EXPECT_EQ(again["run"], document["run"]) << "the same shape without waiting";
}

TEST_F(OrderFulfilment, UndoesInReverseOrderWhenShippingFails) {
  const auto id = start("order-fulfilment", R"({"order":"A-3","card":"good","address":"nowhere"})");
  await_state(id, "compensated");
  EXPECT_EQ(ledger(), "reserve A-3\ncharge A-3\nrefund A-3\nrelease A-3\n");
  EXPECT_EQ(server.pawl({"run", "replay", id}).exit_code, 0);
}

TEST_F(Example, FanOutCountsTheWordsOfEachText) {
  begin("fan-out");
  const auto id = start("word-count", R"({"texts":["to be or not to be","that is the question",""]})");
  const auto ended = await_state(id, "completed");
  EXPECT_EQ(ended["output"]["words"], 10);
  EXPECT_EQ(task(id, "count")["output"], nlohmann::json::parse("[6,4,0]"));
  EXPECT_EQ(await_state(start("word-count", R"({"texts":[]})"), "completed")["output"]["words"], 0);
}

TEST_F(Example, ApprovalPaysWhenApproved) {
  begin("approval");
  const auto id = start("expense-approval", R"({"amount":250})");
  EXPECT_EQ(server.pawl({"run", "signal", id, "decision", R"({"ok":true})"}).exit_code, 0);
  await_state(id, "completed");
  EXPECT_EQ(task(id, "pay")["state"], "completed");
  EXPECT_EQ(task(id, "pay")["output"]["key"], id + ":pay");
  EXPECT_EQ(task(id, "escalate")["state"], "skipped");
}

TEST_F(Example, ApprovalDoesNothingWhenRejected) {
  begin("approval");
  const auto id = start("expense-approval", R"({"amount":250})");
  EXPECT_EQ(server.pawl({"run", "signal", id, "decision", R"({"ok":false})"}).exit_code, 0);
  await_state(id, "completed");
  EXPECT_EQ(task(id, "pay")["state"], "skipped");
  EXPECT_EQ(task(id, "escalate")["state"], "skipped");
}

TEST_F(Example, ApprovalIsEscalatedAfterATimeout) {
  begin("approval");
  std::string soon = text_of(kRoot + "/examples/approval/workflow.yaml");
  soon.replace(soon.find("timeout: 30s"), 12, "timeout: 1s ");
  std::ofstream{server.file("soon.yaml")} << soon;
  apply(server.file("soon.yaml"));
  const auto id = start("expense-approval", R"({"amount":250})");
  await_state(id, "completed");
  EXPECT_EQ(task(id, "decision")["state"], "failed");
  EXPECT_EQ(task(id, "escalate")["output"]["escalated_to"], "the board");
}

// After each of several kills at random moments, the run continues after its last finished iteration.
TEST_F(Example, AgentLoopNeverRepeatsAFinishedIteration) {
  begin("agent-loop");
  const auto id = start("agent-loop", R"({"iterations":12})");
  const auto ended = await_state(id, "completed");
  EXPECT_EQ(task(id, "agent")["output"]["primes"], nlohmann::json::parse("[2,3,5,7,11,13]"));
  EXPECT_GT(task(id, "agent")["attempt"], 1) << "no worker was killed";
  const auto events = server.pawl({"run", "events", id, "--json"}).out;
  std::istringstream lines{events};
  int finished = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line);
    if (event["type"] == "checkpoint_written" && event["payload"]["detail"]["type"] == "iteration_end")
      ++finished;
  }
  EXPECT_EQ(finished, 12) << events;
}

TEST_F(Example, NightlyReportAddsUpTheRunsOfItsRegions) {
  begin("nightly-report");
  const auto id = start("nightly-report", R"({"day":"2026-01-29","regions":["north","south"]})");
  const auto ended = await_state(id, "completed");
  EXPECT_EQ(ended["output"]["title"], "Sales of north, south");
  const Ended children = server.pawl({"run", "list", "--parent", id, "--json"});
  EXPECT_EQ(std::count(children.out.begin(), children.out.end(), '\n'), 2) << children.out;
}

}  // namespace
}  // namespace pawl::testing
