// Lists of runs by label, which have an index of their own.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;
using namespace std::chrono_literals;

class RunLists : public CodeRunTest {
 public:
  core::RunId start_labeled(core::Labels labels) {
    const auto started =
        runs().start_run({.workflow = "order", .kind = core::RunKind::code, .labels = std::move(labels)});
    EXPECT_TRUE(started.ok()) << (started ? "" : started.problem().detail);
    return started->run.facts.id;
  }
  std::vector<core::RunId> list(core::RunQuery query, bool newest_first = true) {
    const auto page = runs().list_runs({.query = std::move(query), .newest_first = newest_first});
    EXPECT_TRUE(page.ok()) << (page ? "" : page.problem().detail);
    std::vector<core::RunId> ids;
    for (const core::Run& run : page->items) ids.push_back(run.facts.id);
    return ids;
  }
};

TEST_P(RunLists, ByLabelFindARunInEachOfItsStates) {
  const core::RunId run = start_labeled({{"region", "eu"}});
  const auto labeled = [&](std::vector<RunState> states) {
    return list({.states = std::move(states), .label = {{"region", "eu"}}});
  };
  const std::vector only{run};
  EXPECT_EQ(labeled({}), only);
  EXPECT_EQ(labeled({RunState::running, RunState::completed}), only);
  EXPECT_TRUE(labeled({RunState::completed}).empty());
  EXPECT_TRUE(labeled({RunState::failed}).empty());
  complete_body(claim_body(run));
  EXPECT_EQ(labeled({}), only);
  EXPECT_EQ(labeled({RunState::completed}), only);
  EXPECT_TRUE(labeled({RunState::running}).empty());
  const core::RunId other = start_labeled({{"region", "us"}});
  fail_body(claim_body(other));
  EXPECT_EQ(list({.states = {RunState::failed}, .label = {{"region", "us"}}}), std::vector{other});
  EXPECT_TRUE(list({.workflow = "another", .label = {{"region", "us"}}}).empty());
}

// Long labels may share a prefix, and namespaces share no list.
TEST_P(RunLists, DistinguishLongLabels) {
  const std::string name(100, 'n');
  const std::string value(200, 'v');
  const core::RunId first = start_labeled({{name, value + "1"}, {name + "2", value}, {"ü", "ö"}});
  const core::RunId second = start_labeled({{name, value + "2"}});
  EXPECT_EQ(list({.label = {{name, value + "1"}}}), std::vector{first});
  EXPECT_EQ(list({.label = {{name, value + "2"}}}), std::vector{second});
  EXPECT_EQ(list({.label = {{name + "2", value}}}), std::vector{first});
  EXPECT_EQ(list({.label = {{"ü", "ö"}}}), std::vector{first});
  EXPECT_TRUE(list({.ns = "elsewhere", .label = {{"ü", "ö"}}}).empty());
}

TEST_P(RunLists, ByLabelHavePagesInBothOrders) {
  std::vector<core::RunId> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(start_labeled({{"team", "blue"}}));
    (void)start_labeled({{"team", "red"}});
  }
  std::optional<std::string> cursor = "";
  std::vector<core::RunId> walked;
  while (cursor) {
    const auto page =
        runs().list_runs({.query = {.label = {{"team", "blue"}}}, .limit = 2, .cursor = *cursor});
    ASSERT_TRUE(page.ok()) << page.problem().detail;
    for (const core::Run& run : page->items) walked.push_back(run.facts.id);
    cursor = page->next_cursor;
  }
  EXPECT_EQ(walked, std::vector(ids.rbegin(), ids.rend()));
  EXPECT_EQ(list({.label = {{"team", "blue"}}}, false), ids);
}

TEST_P(RunLists, ByLabelOmitErasedRuns) {
  const core::RunId gone = start_labeled({{"team", "blue"}});
  complete_body(claim_body(gone));
  clock.advance(24h * 400);
  const core::RunId kept = start_labeled({{"team", "blue"}});
  while (api().sweep({.check = core::RecoveryCheck::retention})->changed > 0) {
  }
  EXPECT_EQ(list({.label = {{"team", "blue"}}}), std::vector{kept});
  EXPECT_TRUE(api().verify()->is_ok());
}

PAWL_ON_EVERY_STORE(RunLists);

}  // namespace
}  // namespace pawl::testing
