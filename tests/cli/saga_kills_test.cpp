// Two hundred sagas while the server and the worker are killed with SIGKILL at random moments: each run ends
// completed or compensated, and the handlers' records show that compensations undid all steps in reverse
// order.
#include <algorithm>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "client/http_api.hpp"
#include "runtime/env.hpp"
#include "tests/cli/live_server.hpp"
#include "tests/support/env.hpp"

namespace pawl::testing {
namespace {

constexpr int kRuns = 200;
constexpr int kSagaKills = 12;

constexpr const char* kSaga = R"(
name: saga
tasks:
  - {id: s1, activity: step, compensate: u1, retry: &often {max_attempts: 20, initial_interval: 100ms}}
  - {id: s2, activity: step, after: [s1], compensate: u2, retry: *often}
  - {id: s3, activity: step, after: [s2], compensate: u3, retry: *often}
  - {id: last, activity: last, after: [s3],
     retry: {max_attempts: 20, initial_interval: 100ms, non_retryable: [exit_3]}}
  - {id: u1, type: compensation, activity: undo, retry: *often}
  - {id: u2, type: compensation, activity: undo, retry: *often}
  - {id: u3, type: compensation, activity: undo, retry: *often}
)";

// Writes a line of the ledger with one call, so that concurrent handlers do not mix their lines.
constexpr const char* kHandler = R"(#!/bin/sh
echo "$PAWL_RUN_ID $PAWL_NODE_ID" >> "$LEDGER"
if [ "$PAWL_TYPE" = last ] && grep -q fail; then exit 3; fi
echo 1
)";

class SagaKills : public ::testing::Test {
 protected:
  SagaKills() {
    std::ofstream{server.file("saga.yaml")} << kSaga;
    std::ofstream{server.file("handler.sh")} << kHandler;
    std::ofstream{server.file("ledger")};
    EXPECT_EQ(server.pawl({"workflow", "apply", server.file("saga.yaml")}).exit_code, 0);
    start_worker();
  }

  void start_worker() {
    worker.reset();  // with SIGKILL
    std::vector<std::string> words{"worker", "--concurrency", "8", "--lease", "2s"};
    for (const char* type : {"step", "last", "undo"})
      words.insert(words.end(), {"--handle", std::string{type} + "=sh " + server.file("handler.sh")});
    Variables variables = server.variables();
    variables.emplace("LEDGER", server.file("ledger"));
    worker = std::make_unique<Program>(words, variables);
  }

  std::unique_ptr<client::HttpApi> connect() {
    auto address = client::parse_http_address(server.address());
    return std::make_unique<client::HttpApi>(client::HttpTarget{.address = *address}, random);
  }

  // The nodes that each run executed, in the order of their first attempts: an attempt may be repeated.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> ledger() const {
    std::map<std::string, std::vector<std::string>> done;
    std::ifstream file{server.file("ledger")};
    for (std::string run, node; file >> run >> node;) {
      auto& nodes = done[run];
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    return done;
  }
  [[nodiscard]] std::size_t lines() const {
    std::ifstream file{server.file("ledger")};
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>{file}, {}, '\n'));
  }

  // Returns for each run id whether the run fails: every second one does, at its end.
  std::map<std::string, bool> start_runs(client::HttpApi& api) {
    std::map<std::string, bool> fails;
    for (int i = 0; i < kRuns; ++i) {
      const bool does_fail = i % 2 == 1;
      const auto started = api.start_run({.workflow = "saga",
                                          .run_key = std::to_string(i),
                                          .input = {does_fail ? R"("fail")" : R"("pass")"}});
      EXPECT_TRUE(started) << started.problem().detail;
      if (started) fails[to_string(started->run.facts.id)] = does_fail;
    }
    return fails;
  }

  std::size_t open_runs() {
    const auto page =
        connect()->list_runs({.query = {.states = {core::RunState::running, core::RunState::failing,
                                                   core::RunState::compensating}},
                              .limit = 500});
    return page ? page->items.size() : kRuns;
  }

  LiveServer server;
  runtime::SystemRandom random;
  std::unique_ptr<Program> worker;
};

TEST_F(SagaKills, UndoEverythingInReverseWhicheverProcessIsKilled) {
  const std::uint64_t seed = random.next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeededRandom chance{seed};
  const auto fails = start_runs(*connect());
  ASSERT_EQ(fails.size(), static_cast<std::size_t>(kRuns));
  for (int i = 0; i < kSagaKills && open_runs() > 0; ++i) {
    const std::size_t goal = lines() + 20 + chance.below(60);
    EXPECT_TRUE(await([&] { return lines() >= goal || open_runs() == 0; }));
    if (chance.below(2) == 0) {
      server.restart();  // with SIGKILL
    } else {
      start_worker();
    }
  }
  ASSERT_TRUE(await([&] { return open_runs() == 0; })) << open_runs() << " runs have not ended";

  const auto done = ledger();
  const std::vector<std::string> all{"s1", "s2", "s3", "last"};
  std::vector<std::string> undone = all;
  undone.insert(undone.end(), {"u3", "u2", "u1"});
  for (const auto& [run, does_fail] : fails) {
    SCOPED_TRACE(run);
    EXPECT_EQ(done.at(run), does_fail ? undone : all);
    const auto found = connect()->get_run({.id = core::RunId{*core::parse_uuid(run)}});
    ASSERT_TRUE(found);
    EXPECT_EQ(to_string(found->state), does_fail ? "compensated" : "completed");
  }
  EXPECT_EQ(server.pawl({"verify"}).exit_code, 0);
}

}  // namespace
}  // namespace pawl::testing
