// Steps that are committed with a user's own SQL statements, on the stores that are databases: under any
// failure, both are committed together and once, or not at all.
#include <stdexcept>

#include "tests/conformance/faults.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;
using store::StoreError;

class Transact : public RunTest {
 public:
  void SetUp() override {
    ASSERT_TRUE(node().store()->has_sql());
    const auto run = runs().start_run({.workflow = "w", .kind = core::RunKind::code});
    ASSERT_TRUE(run.ok());
    body = claim("w1", 1, 30s).at(0);
    ASSERT_TRUE(engine().transact([this](store::Sql& sql) -> std::optional<core::Command> {
      (void)sql.run("drop table if exists notes", {});
      (void)sql.run("create table notes (n bigint)", {});
      return core::AppendCheckpoint{.owner = body.task.id, .type = "state_transition", .snapshot = {"1"}};
    }));
  }

  core::WriteSteps step() const {
    return {.run_id = *body.task.run_id,
            .body = body.task.id,
            .fence = body.task.lease->fence,
            .steps = {{.step_id = "note", .output = {"1"}, .must_be_new = true}}};
  }
  // Writes a row and a step.
  core::Result<std::optional<core::Answer>> note(engine::Engine& engine) {
    return engine.transact([this](store::Sql& sql) -> std::optional<core::Command> {
      ++calls;
      const std::vector<store::SqlValue> values{std::int64_t{7}};
      EXPECT_EQ(sql.run("insert into notes values ($1)", values).changed, 1);
      return step();
    });
  }
  std::int64_t rows() {
    std::int64_t count = -1;
    EXPECT_TRUE(engine().transact([&](store::Sql& sql) -> std::optional<core::Command> {
      count = std::get<std::int64_t>(sql.run("select count(*) from notes", {}).rows.at(0).at(0));
      return std::nullopt;
    }));
    return count;
  }
  std::size_t steps() { return runs().list_steps({.id = *body.task.run_id})->size(); }

  core::ClaimedTask body;
  int calls = 0;
};

TEST_P(Transact, RethrowsAnExceptionAndStoresNothing) {
  EXPECT_THROW((void)engine().transact([](store::Sql& sql) -> std::optional<core::Command> {
    (void)sql.run("insert into notes values (1)", {});
    throw std::out_of_range{"of the user's code"};
  }),
               std::out_of_range);
  EXPECT_EQ(rows(), 0);
}

TEST_P(Transact, StoresRowsAndStepTogether) {
  const auto answer = note(engine());
  ASSERT_TRUE(answer.ok()) << answer.problem().detail;
  EXPECT_EQ(std::get<core::StepsWritten>(**answer).steps.at(0).now.output.text, "1");
  EXPECT_EQ(rows(), 1);
  EXPECT_EQ(steps(), 1U);
}

TEST_P(Transact, StoresNeitherIfTheCommitFails) {
  FaultyNode faulty{node(), clock, 3};
  faulty.plan.on_verb = [](store::Verb verb) {
    if (verb == store::Verb::commit) lose(StoreError::Kind::internal);
  };
  EXPECT_FALSE(note(faulty.node.engine()).ok());
  EXPECT_EQ(rows(), 0);
  EXPECT_EQ(steps(), 0U);
}

TEST_P(Transact, IsRetriedOnRequestOfTheStore) {
  FaultyNode faulty{node(), clock, 3};
  int commits = 0;
  faulty.plan.on_verb = [&](store::Verb verb) {
    if (verb == store::Verb::commit && ++commits == 1) lose(StoreError::Kind::retry);
  };
  EXPECT_TRUE(note(faulty.node.engine()).ok());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(rows(), 1);
}

TEST_P(Transact, IsNotCommittedAgainAfterALostReply) {
  FaultyNode faulty{node(), clock, 3};
  faulty.plan.on_committed = [] { lose(StoreError::Kind::unknown); };
  EXPECT_EQ(note(faulty.node.engine()).problem().code, ProblemCode::unavailable);
  EXPECT_EQ(note(engine()).problem().code, ProblemCode::already_completed);
  EXPECT_GE(calls, 2) << "once more where the node remembered the run as it was before";
  EXPECT_EQ(rows(), 1);
  EXPECT_EQ(steps(), 1U);
}

TEST_P(Transact, StoresNothingForAWorkerWithoutTheLease) {
  clock.advance(31s);
  EXPECT_EQ(note(engine()).problem().code, ProblemCode::stale_lease);
  EXPECT_EQ(rows(), 0);
  EXPECT_EQ(steps(), 0U);
}

TEST_P(Transact, StoresNothingIfTheCallbackReturnsNoCommand) {
  const auto answer = engine().transact([](store::Sql& sql) -> std::optional<core::Command> {
    (void)sql.run("insert into notes values (1)", {});
    return std::nullopt;
  });
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(*answer);
  EXPECT_EQ(rows(), 0);
}

TEST_P(Transact, CountsOnlyTheChangesOfTheStatementItself) {
  const auto answer = engine().transact([](store::Sql& sql) -> std::optional<core::Command> {
    EXPECT_EQ(sql.run("insert into notes values (1), (2), (3)", {}).changed, 3);
    EXPECT_EQ(sql.run("create table more_notes (n bigint)", {}).changed, 0);
    EXPECT_EQ(sql.run("update notes set n = 5 where n > 1", {}).changed, 2);
    EXPECT_EQ(sql.run("alter table notes add column m bigint", {}).changed, 0);
    EXPECT_EQ(sql.run("delete from notes where n = 9", {}).changed, 0);
    EXPECT_EQ(sql.run("delete from notes", {}).changed, 3);
    EXPECT_EQ(sql.run("drop table more_notes", {}).changed, 0);
    return std::nullopt;
  });
  EXPECT_TRUE(answer.ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, Transact, ::testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         [](const auto& store) { return to_string(store.param); });

}  // namespace
}  // namespace pawl::testing
