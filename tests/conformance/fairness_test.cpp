// Tenants that share a queue: a longer backlog gives no larger share, and no tenant starves.

#include <algorithm>
#include <map>

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

class Fairness : public Conformance {
 public:
  static core::TaskSpec task_for(const std::string& tenant, const std::string& type = "t") {
    core::TaskSpec spec = task_of(type);
    spec.fairness_key = tenant;
    return spec;
  }
  void enqueue_many(int count, const core::TaskSpec& spec) { enqueue_many(api(), count, spec); }
  static void enqueue_many(core::Api& at, int count, core::TaskSpec spec) {
    core::EnqueueTasks batch;
    for (int i = 0; i < count; ++i) {
      spec.payload = {std::to_string(i)};
      batch.tasks.push_back(spec);
    }
    ASSERT_TRUE(at.enqueue_batch(batch).ok());
  }
  // The number of tasks per tenant ("" without a key) among the next `count`, claimed `at_once` at a time.
  std::map<std::string, int> shares_of(int count, int at_once) {
    std::map<std::string, int> shares;
    for (int left = count; left > 0; left -= at_once) {
      for (const auto& one : claim("w1", std::min(left, at_once), 1h)) ++shares[tenant_of(one.task)];
    }
    return shares;
  }
  static std::string tenant_of(const core::Task& task) { return task.fairness ? task.fairness->key : ""; }
};

TEST_P(Fairness, ServesASmallTenantAmidTheBacklogOfALargeOne) {
  enqueue_many(3'000, task_for("large"));
  EXPECT_EQ(shares_of(5, 1), (std::map<std::string, int>{{"large", 5}}));
  enqueue_many(10, task_for("small"));
  EXPECT_EQ(shares_of(20, 1), (std::map<std::string, int>{{"large", 10}, {"small", 10}}));
  EXPECT_EQ(shares_of(20, 10), (std::map<std::string, int>{{"large", 20}}));
}

TEST_P(Fairness, SharesByWeight) {
  core::TaskSpec heavy = task_for("heavy");
  heavy.fairness_weight = 3;
  core::TaskSpec light = task_for("light");
  light.fairness_weight = 0.5;
  enqueue_many(400, task_for("plain"));
  enqueue_many(400, light);
  enqueue_many(400, heavy);
  EXPECT_EQ(shares_of(90, 1), (std::map<std::string, int>{{"heavy", 60}, {"light", 10}, {"plain", 20}}));
  EXPECT_EQ(shares_of(90, 30), (std::map<std::string, int>{{"heavy", 60}, {"light", 10}, {"plain", 20}}));
}

TEST_P(Fairness, AppliesWithinAPriority) {
  enqueue_many(20, task_for("a"));
  core::TaskSpec urgent = task_for("b");
  urgent.priority = 5;
  enqueue_many(10, urgent);
  EXPECT_EQ(shares_of(10, 4), (std::map<std::string, int>{{"b", 10}}));
  core::TaskSpec plain = task_of("t");
  plain.priority = 1;
  enqueue_many(3, plain);
  EXPECT_EQ(shares_of(5, 5), (std::map<std::string, int>{{"", 3}, {"a", 2}}));
}

TEST_P(Fairness, KeepsTheOrderWithinATenant) {
  for (int round = 0; round < 5; ++round) {
    core::EnqueueTasks batch;
    for (int i = 0; i < 12; ++i) {
      core::TaskSpec spec = task_for("tenant " + std::to_string(i % 3));
      spec.payload = {std::to_string(round * 12 + i)};
      batch.tasks.push_back(spec);
    }
    ASSERT_TRUE(api().enqueue_batch(batch).ok());
    clock.advance(1s);
  }
  std::map<std::string, std::vector<int>> order;
  for (int i = 0; i < 60; i += 7) {
    for (const auto& one : claim("w1", 7, 1h))
      order[tenant_of(one.task)].push_back(std::stoi(one.task.payload.text));
  }
  EXPECT_EQ(order.size(), 3U);
  for (const auto& [tenant, numbers] : order) {
    EXPECT_EQ(numbers.size(), 20U) << tenant;
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end())) << tenant;
  }
}

TEST_P(Fairness, PutsReturnedTasksBeforeTheRestOfTheirTenant) {
  enqueue_many(100, task_for("a"));
  enqueue_many(100, task_for("b"));
  const auto held = claim("w1", 6);
  ASSERT_EQ(held.size(), 6U);
  ASSERT_TRUE(report(held[0].task, ReportAction::release).ok());
  core::Report failure = report_of(held[1].task, ReportAction::fail);
  failure.retry_after = 0s;
  ASSERT_TRUE(report("w1", failure).ok());
  const auto ids = ids_of(claim("w2", 4));
  for (const std::size_t back : {std::size_t{0}, std::size_t{1}})
    EXPECT_NE(std::find(ids.begin(), ids.end(), held[back].task.id), ids.end()) << back;
}

TEST_P(Fairness, GivesAFailingTenantAtMostTwiceItsShare) {
  core::TaskSpec poison = task_for("poison");
  poison.retry.max_attempts = -1;
  enqueue_many(50, poison);
  enqueue_many(100, task_for("good"));
  int good = 0;
  for (int i = 0; i < 90; ++i) {
    const core::Task task = claim_one();
    if (tenant_of(task) == "good") {
      ++good;
      complete(task);
    } else {
      core::Report failure = report_of(task, ReportAction::fail);
      failure.retry_after = 0s;
      ASSERT_TRUE(report("w1", failure).ok());
    }
  }
  EXPECT_GE(good, 29);
}

TEST_P(Fairness, ForgetsPastSharesOnceNothingWaits) {
  enqueue_many(200, task_for("a"));
  EXPECT_EQ(shares_of(200, 50), (std::map<std::string, int>{{"a", 200}}));
  enqueue_many(20, task_for("a"));
  enqueue_many(20, task_for("b"));
  EXPECT_EQ(shares_of(20, 1), (std::map<std::string, int>{{"a", 10}, {"b", 10}}));
}

TEST_P(Fairness, LetsNoTenantAccumulateTurnsWhileIdle) {
  enqueue_many(300, task_for("a"));
  enqueue_many(1, task_for("b"));
  EXPECT_EQ(shares_of(101, 20).at("a"), 100);
  enqueue_many(50, task_for("b"));
  EXPECT_EQ(shares_of(40, 1), (std::map<std::string, int>{{"a", 20}, {"b", 20}}));
}

TEST_P(Fairness, CountsNoTurnForScheduledTasks) {
  core::TaskSpec later = task_for("a");
  later.delay = 1h;
  enqueue_many(200, later);
  enqueue_many(20, task_for("a"));
  enqueue_many(20, task_for("b"));
  EXPECT_EQ(shares_of(20, 5), (std::map<std::string, int>{{"a", 10}, {"b", 10}}));
  clock.advance(1h);
  tick();
  EXPECT_EQ(shares_of(20, 5), (std::map<std::string, int>{{"a", 10}, {"b", 10}}));
}

TEST_P(Fairness, StarvesNeitherTasksWithNorWithoutAKey) {
  enqueue_many(300, task_of("t"));
  enqueue_many(300, task_for("a"));
  enqueue_many(300, task_for("b"));
  EXPECT_EQ(shares_of(40, 40), (std::map<std::string, int>{{"", 20}, {"a", 10}, {"b", 10}}));
  const auto one_by_one = shares_of(100, 1);
  EXPECT_GT(one_by_one.at(""), 25);
  EXPECT_GT(one_by_one.at("a") + one_by_one.at("b"), 25);
  EXPECT_LE(std::abs(one_by_one.at("a") - one_by_one.at("b")), 1);
}

TEST_P(Fairness, AlternatesBetweenTypes) {
  enqueue_many(300, task_for("a", "mail"));
  enqueue_many(10, task_for("b", "print"));
  EXPECT_EQ(shares_of(20, 20), (std::map<std::string, int>{{"a", 10}, {"b", 10}}));
  enqueue_many(10, task_for("b", "mail"));
  const auto mail = claim_for({.worker_id = "w1", .types = {"mail"}, .max = 20});
  EXPECT_EQ(std::count_if(mail.begin(), mail.end(), [](const auto& task) { return tenant_of(task) == "b"; }),
            10);
}

TEST_P(Fairness, HoldsWithEntityKeys) {
  core::EnqueueTasks batch;
  for (int i = 0; i < 60; ++i) {
    core::TaskSpec spec = task_for(i < 40 ? "a" : "b");
    spec.key = "entity " + std::to_string(i % 20);
    batch.tasks.push_back(spec);
  }
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  std::map<std::string, int> shares;
  for (int i = 0; i < 60; ++i) {
    const core::Task task = claim_one();
    ++shares[tenant_of(task)];
    complete(task);
  }
  EXPECT_EQ(shares, (std::map<std::string, int>{{"a", 40}, {"b", 20}}));
  expect_counts_kept();
}

TEST_P(Fairness, HoldsWithinLimits) {
  set_queue("default", {.max_concurrency = {{4}}, .rate = {{core::Rate{.limit = 6, .per = 1h}}}});
  enqueue_many(50, task_for("a"));
  enqueue_many(50, task_of("t"));
  enqueue_many(50, task_for("b", "other"));
  auto held = claim("w1", 100);
  ASSERT_EQ(held.size(), 4U);
  EXPECT_TRUE(claim("w2").empty());
  for (const auto& one : held) complete(one.task);
  EXPECT_EQ(claim("w2", 100).size(), 2U);
  expect_counts_kept();
}

TEST_P(Fairness, HoldsUnderALimitOfOne) {
  set_queue("default", {.type_concurrency = {{{{"t", 1}}}}});
  enqueue_many(50, task_for("a"));
  enqueue_many(5, task_for("b"));
  std::map<std::string, int> shares;
  for (int i = 0; i < 10; ++i) {
    const core::Task task = claim_one();
    EXPECT_TRUE(claim("w2").empty());
    ++shares[tenant_of(task)];
    complete(task);
  }
  EXPECT_EQ(shares, (std::map<std::string, int>{{"a", 5}, {"b", 5}}));
}

TEST_P(Fairness, HoldsAcrossNodesAndRestarts) {
  auto other = another_node(2);
  enqueue_many(100, task_for("a"));
  enqueue_many(other->api(), 100, task_for("b"));
  std::map<std::string, int> shares;
  for (int i = 0; i < 20; ++i) {
    core::Api& node = i % 2 == 0 ? api() : other->api();
    const auto claimed = node.claim({.worker_id = "w", .max = 2});
    for (const auto& one : *claimed) ++shares[tenant_of(one.task)];
  }
  EXPECT_EQ(shares, (std::map<std::string, int>{{"a", 20}, {"b", 20}}));
  other.reset();
  other = another_node(3);
  enqueue_many(other->api(), 10, task_for("c"));
  const auto claimed = other->api().claim({.worker_id = "w", .max = 30});
  EXPECT_EQ(std::count_if(claimed->begin(), claimed->end(),
                          [](const auto& one) { return tenant_of(one.task) == "c"; }),
            10);
}

TEST_P(Fairness, HoldsWithinOneGroup) {
  enqueue_many(50, task_for("a"));
  std::vector<core::Command> commands;
  core::EnqueueTasks batch;
  batch.tasks.assign(5, task_for("b"));
  commands.emplace_back(batch);
  commands.emplace_back(core::CancelTasks{.ids = {list({}).front().id}});
  for (int i = 0; i < 5; ++i) commands.emplace_back(core::ClaimTasks{.worker_id = "w", .max = 2});
  const auto answers = submit_group(node(), std::move(commands));
  std::map<std::string, int> shares;
  for (std::size_t i = 2; i < answers.size(); ++i) {
    for (const core::Task& task : answers[i].tasks()) ++shares[tenant_of(task)];
  }
  EXPECT_EQ(shares, (std::map<std::string, int>{{"a", 5}, {"b", 5}}));
  expect_counts_kept();
}

TEST_P(Fairness, IsReturnedWithTheTask) {
  core::TaskSpec spec = task_for("ada");
  spec.fairness_weight = 0.333;
  spec.run_at = clock.now() + 1s;
  const core::Task made = enqueue(spec);
  EXPECT_EQ(made.fairness, (core::Fairness{.key = "ada", .weight = 0.333}));
  EXPECT_EQ(get(made.id).task, made);
  clock.advance(5s);
  tick();
  EXPECT_EQ(queue().oldest_pending_age, core::Duration{4s});
  clock.advance(2s);
  EXPECT_EQ(queue().oldest_pending_age, core::Duration{6s});
  const core::Task claimed = claim_one();
  EXPECT_EQ(claimed.fairness, made.fairness);
  complete(claimed);
  EXPECT_EQ(list({}).at(0).fairness, made.fairness);
  EXPECT_FALSE(enqueue(task_of("t")).fairness);
}

TEST_P(Fairness, RejectsInvalidKeysAndWeights) {
  const auto expect_refused = [this](const std::string& field, auto change) {
    core::TaskSpec spec = task_for("a");
    change(spec);
    const auto refused = api().enqueue("default", spec);
    ASSERT_FALSE(refused.ok()) << field;
    EXPECT_EQ(refused.problem().code, core::ProblemCode::invalid_argument);
    EXPECT_EQ(refused.problem().errors.at(0).field, field);
    core::EnqueueTasks batch;
    batch.tasks = {task_for("a"), spec};
    EXPECT_EQ(api().enqueue_batch(batch).problem().errors.at(0).field, "tasks[1]." + field);
  };
  for (const double weight : {0.0, -1.0, 0.0009, 1000.5, 1e300})
    expect_refused("fairness_weight", [&](auto& spec) { spec.fairness_weight = weight; });
  expect_refused("fairness_weight", [](auto& spec) { spec.fairness_key.reset(), spec.fairness_weight = 2; });
  expect_refused("fairness_key", [](auto& spec) { spec.fairness_key = ""; });
  expect_refused("fairness_key", [](auto& spec) { spec.fairness_key = std::string(513, 'k'); });
  expect_refused("fairness_key", [](auto& spec) { spec.fairness_key = "a\nb"; });
  EXPECT_TRUE(list({}).empty());
  EXPECT_TRUE(api().list_queues("default")->empty());
  core::TaskSpec longest = task_for(std::string(512, 'k'));
  for (const double weight : {0.001, 1000.0}) {
    longest.fairness_weight = weight;
    EXPECT_EQ(enqueue(longest).fairness->weight, weight);
  }
}

PAWL_ON_EVERY_STORE(Fairness);

}  // namespace pawl::testing
