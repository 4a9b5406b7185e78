// The tree of a run, with tests/golden/run_trees.txt as the expected output.
#include "cli/run_tree.hpp"

#include <gtest/gtest.h>

#include "tests/support/golden.hpp"

namespace pawl::cli {
namespace {

constexpr const char* kNow = "2026-01-29T10:00:10.000000Z";

Json task(const std::string& id, const std::string& state, const std::string& more = "") {
  return Json::parse(R"({"id":")" + id + R"(","node_id":")" + id.substr(0, id.find('[')) + R"(","item":)" +
                     (id.ends_with(']') ? "0" : "null") + R"(,"type":"activity","state":")" + state +
                     R"(","attempt":1)" + more + "}");
}

std::string at(int second) { return R"(2026-01-29T10:00:0)" + std::to_string(second) + R"(.000000Z)"; }
std::string from_to(int from, int to) {
  return R"(,"scheduled_at":")" + at(from) + R"(","finished_at":")" + at(to) + "\"";
}
std::string since(int from) { return R"(,"scheduled_at":")" + at(from) + "\""; }

RunTree run(const std::string& state, const std::string& counts, std::vector<Json> tasks) {
  RunTree tree;
  tree.run = {{"id", "0198c0de-0000-7000-8000-000000000001"},
              {"workflow", "order-fulfilment"},
              {"state", state},
              {"started_at", at(0)},
              {"counts", Json::parse(counts)},
              {"tasks", tasks}};
  return tree;
}

RunTree saga() {
  Json payment = task("process_payment", "failed",
                      from_to(1, 4) + R"(,"error":{"code":"card_declined","message":"no\u001b[31m money"})");
  payment["attempt"] = 3;
  Json release = task("release_inventory", "completed", from_to(5, 6));
  release["type"] = "compensation";
  Json refund = task("refund_payment", "blocked");
  refund["type"] = "compensation";
  RunTree tree = run("compensated", R"({"completed":1,"failed":1,"cancelled":1})",
                     {task("reserve_inventory", "completed", from_to(0, 1)), payment,
                      task("ship_order", "cancelled"), release, refund});
  tree.run["finished_at"] = at(6);
  tree.run["error"] = Json::parse(R"({"code":"card_declined","message":"no money"})");
  return tree;
}

RunTree fan_out() {
  std::vector<Json> tasks{
      task("list", "completed", from_to(0, 1)),
      task("resize", "waiting", since(1) + R"(,"items":{"total":40,"left":30,"failed":1})")};
  tasks.push_back(
      task("resize[3]", "failed", from_to(1, 2) + R"(,"error":{"code":"boom","message":"bad file"})"));
  for (int i = 10; i < 17; ++i)
    tasks.push_back(task("resize[" + std::to_string(i) + "]", "running", since(2)));
  tasks.push_back(task("resize[20]", "pending", since(2)));
  tasks.push_back(task("publish", "blocked"));
  return run("running", R"({"blocked":1,"pending":23,"running":7,"completed":10,"failed":1})", tasks);
}

RunTree with_child() {
  Json child =
      task("notify", "waiting", since(2) + R"(,"child_run_id":"0198c0de-0000-7000-8000-000000000002")");
  child["type"] = "workflow";
  Json approval = task("approval", "waiting", since(1) + R"(,"due_at":"2026-01-29T17:00:00.000000Z")");
  approval["type"] = "signal";
  RunTree tree =
      run("sleeping", R"({"completed":1,"waiting":2,"skipped":1})",
          {task("audit", "skipped"), task("prepare", "completed", from_to(0, 1)), approval, child});
  tree.run["custom_status"] = "waiting for Ada";
  tree.children["0198c0de-0000-7000-8000-000000000002"] =
      run("running", "{}", {task("send", "running", since(3)), task("log", "blocked")});
  return tree;
}

std::string drawn(const RunTree& tree, bool colours) {
  std::string text;
  for (const auto& line : tree_lines(tree, *core::parse_time(kNow), {.colours = colours}))
    text += line + "\n";
  return text + "\n";
}

TEST(RunTrees, MatchTheGoldenFile) {
  pawl::testing::expect_golden("tests/golden/run_trees.txt",
                               drawn(saga(), false) + drawn(fan_out(), false) + drawn(with_child(), false));
}

TEST(RunTrees, HaveColorsOnlyOnRequestAndEscapeErrors) {
  EXPECT_EQ(drawn(saga(), false).find('\x1b'), std::string::npos);
  EXPECT_NE(drawn(saga(), true).find("\x1b[32m✓\x1b[0m"), std::string::npos);
}

TEST(RunTrees, ShowARunWithoutTasks) {
  EXPECT_NE(drawn(run("running", "{}", {}), false).find(" 0/0"), std::string::npos);
}

}  // namespace
}  // namespace pawl::cli
