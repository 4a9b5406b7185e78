// A run that several nodes write to. A node with outdated cached state detects it and reads again. On
// PostgreSQL this causes no server error: the server's log stays empty.

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

// The log of the server that tools/with_postgres.sh started. It is next to the socket.
std::string server_log() {
  const std::string conninfo = std::getenv("PAWL_TEST_POSTGRES");
  const std::size_t host = conninfo.find("host=") + 5;
  std::ifstream file{conninfo.substr(host, conninfo.find(' ', host) - host) + "/log"};
  EXPECT_TRUE(file.good()) << "run through tools/with_postgres.sh";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class SharedRuns : public CodeRunTest {
 public:
  SharedRuns() : other(another_node(2)) {
    if (GetParam() == StoreKind::postgres) log_before_ = server_log().size();
  }

  core::Result<core::StepsWritten> write_to(core::RunApi& runs, const core::ClaimedTask& body,
                                            const std::string& step) {
    return runs.write_steps(
        {.run_id = *body.task.run_id,
         .body = body.task.id,
         .fence = body.task.lease->fence,
         .steps = {{.action = core::StepAction::complete, .step_id = step, .output = {"1"}}}});
  }
  void expect_no_server_error() {
    if (GetParam() != StoreKind::postgres) return;
    const std::string log = server_log().substr(log_before_);  // it also contains other tests' checkpoints
    EXPECT_EQ(log.find("ERROR:"), std::string::npos) << log;
  }

  std::unique_ptr<DirectNode> other;

 private:
  std::size_t log_before_ = 0;
};

TEST_P(SharedRuns, AcceptWritesOfTwoNodesInTurns) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  for (int i = 0; i < 20; ++i) {
    const auto written = write_to(i % 3 == 0 ? runs() : other->local(), body, "step" + std::to_string(i));
    ASSERT_TRUE(written.ok()) << written.problem().detail;
  }
  complete_body(body);
  EXPECT_EQ(state_of(run), core::RunState::completed);
  EXPECT_EQ(runs().list_steps({.id = run})->size(), 20U);
  expect_no_server_error();
}

TEST_P(SharedRuns, EndThroughANodeWithAnOutdatedCache) {
  for (int i = 0; i < 5; ++i) {
    const core::RunId run = start_code();
    const core::ClaimedTask body = claim_body(run);
    ASSERT_TRUE(write_to(runs(), body, "a").ok());
    ASSERT_TRUE(write_to(other->local(), body, "b").ok());
    ASSERT_TRUE(write_to(runs(), body, "c").ok());
    ASSERT_TRUE(write_to(other->local(), body, "d").ok());
    complete_body(body);
    EXPECT_EQ(state_of(run), core::RunState::completed);
    EXPECT_EQ(runs().list_steps({.id = run})->size(), 4U);
  }
  expect_no_server_error();
}

PAWL_ON_EVERY_STORE(SharedRuns);

}  // namespace
}  // namespace pawl::testing
