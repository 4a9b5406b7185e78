// Transactional steps: a user's rows and the step's result are committed together.

#include <atomic>

#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

class Transactions : public SdkTest {
 public:
  // Runs a workflow of one transaction, and returns its result.
  template <typename Call>
  Json run(const std::string& name, Call call) {
    Worker worker{client, leaving()};
    worker.workflow(name, [&](Workflow& wf) { return wf.transaction("only", call); });
    worker.start();
    return client.start(name).result<Json>(30s);
  }
  RunFailed failure_of(const pawl::Run& run) {
    try {
      run.wait(30s);
    } catch (const RunFailed& failed) {
      return failed;
    }
    return RunFailed{{.id = run.id(), .state = "completed"}, "", ""};
  }
  void make_table() {
    (void)run("make", [](Sql& sql) {
      sql.exec("drop table if exists notes");  // tables that are not Pawl's survive a test
      sql.exec("create table notes (id bigint primary key, text varchar(100), share double precision)");
      return true;
    });
  }
};

TEST_P(Transactions, CommitTheirRowsAndTheirResultTogether) {
  make_table();
  std::atomic<int> calls = 0;
  Worker worker{client, leaving()};
  worker.workflow("note", [&](Workflow& wf) {
    const auto changed = wf.transaction("write", [&](Sql& sql) {
      ++calls;
      return sql.exec("insert into notes values ($1, $2, $3), ($4, $5, null)", 1, "it's", 0.5, 2,
                      std::optional<std::string>{});
    });
    wf.sleep(1ms);  // the function runs again from its start
    const auto rows =
        wf.transaction("read", [](Sql& sql) { return sql.query("select * from notes order by id"); });
    return Json{{"changed", changed}, {"rows", rows}};
  });
  worker.start();
  const Json given = client.start("note").result<Json>(30s);
  EXPECT_EQ(given.at("changed"), 2);
  EXPECT_EQ(given.at("rows").dump(),
            R"([{"id":1,"share":0.5,"text":"it's"},{"id":2,"share":null,"text":null}])");
  EXPECT_EQ(calls, 1);
}

TEST_P(Transactions, UndoTheirRowsInTheCommitOfTheUndo) {
  make_table();
  std::atomic<int> undos = 0;
  Worker worker{client, leaving()};
  worker.workflow("note", [&](Workflow& wf) {
    wf.transaction("write", [](Sql& sql) { return sql.exec("insert into notes values (1, 'kept', null)"); });
    wf.undo_transaction("erase", {.retry = {.initial_interval = std::chrono::milliseconds{1}}},
                        [&](Step& step, Sql& sql) {
                          ++undos;
                          sql.exec("delete from notes where id = $1", 1);
                          sql.exec("insert into notes values ($1, $2, null)", 10 + step.attempt(), "undone");
                          if (step.attempt() == 1) throw Failure{"again", "what it wrote is rolled back"};
                        });
    wf.sleep(1ms);
    throw Failure{"broken", "it is undone"};
  });
  worker.start();
  const pawl::Run run = client.start("note");
  const RunFailed failed = failure_of(run);
  EXPECT_EQ(failed.state(), "compensated");
  EXPECT_EQ(failed.code(), "broken");
  EXPECT_EQ(undos, 2);
  worker.stop();
  EXPECT_EQ(this->run("look", [](Sql& sql) { return sql.query("select id from notes order by id"); }).dump(),
            R"([{"id":12}])");
}

struct Note {
  int id = 0;
  std::string text;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Note, id, text)

TEST_P(Transactions, ReturnRowsAsTypes) {
  make_table();
  const Json given = run("types", [](Sql& sql) {
    sql.exec("insert into notes values ($1, $2, $3)", 7, "12", "12");
    const auto notes = sql.query_as<Note>("select id, text from notes where id = $1", 7);
    return Json{{"text", notes.at(0).text},
                {"sum", sql.value<int>("select sum(id) from notes")},
                {"share", sql.value<double>("select share from notes")},
                {"truth", sql.value<Json>("select id = 7 from notes")},
                {"none", sql.query("select id from notes where id = $1", 8)}};
  });
  EXPECT_EQ(given.at("text"), "12");
  EXPECT_EQ(given.at("sum"), 7);
  EXPECT_EQ(given.at("share"), 12.0);
  EXPECT_EQ(given.at("none"), Json::array());
}

TEST_P(Transactions, RollBackWhenTheyFail) {
  make_table();
  int attempts = 0;
  Worker worker{client, leaving()};
  worker.workflow("note", [&](Workflow& wf) {
    wf.transaction("write", {.retry = {.initial_interval = 1ms}}, [&](Sql& sql) {
      sql.exec("insert into notes (id) values ($1)", 1);
      if (++attempts < 3) throw Failure{"not_yet", "once more"};
    });
    return wf.transaction("count", [](Sql& sql) { return sql.value<int>("select count(*) from notes"); });
  });
  worker.start();
  EXPECT_EQ(client.start("note").result<int>(30s), 1);
  EXPECT_EQ(attempts, 3);
}

TEST_P(Transactions, FailWithTheErrorOfTheDatabase) {
  make_table();
  const auto refusal = [&](const std::string& name, const std::function<void(Sql&)>& work) {
    Worker worker{client, leaving()};
    worker.workflow(name, [&](Workflow& wf) {
      wf.transaction("write", {.retry = {.max_attempts = 1}}, [&](Sql& sql) { work(sql); });
    });
    worker.start();
    const RunFailed failed = failure_of(client.start(name));
    EXPECT_EQ(failed.code(), "sql") << name;
    return failed.detail();
  };
  EXPECT_NE(refusal("syntax", [](Sql& sql) { sql.exec("delete notes where"); }).find("syntax"),
            std::string::npos);
  EXPECT_FALSE(refusal("unique", [](Sql& sql) {
                 sql.exec("insert into notes (id) values ($1)", 1);
                 sql.exec("insert into notes (id) values ($1)", 1);
               }).empty());
  EXPECT_NE(refusal("commit", [](Sql& sql) { sql.exec(" /* now */ COMMIT"); })
                .find("already runs in a transaction"),
            std::string::npos);
  EXPECT_FALSE(
      refusal("values", [](Sql& sql) { sql.exec("insert into notes (id) values ($1)", 1, 2); }).empty());
  // The function catches the error and continues: the databases would differ in what they commit.
  EXPECT_EQ(refusal("caught",
                    [](Sql& sql) {
                      sql.exec("insert into notes (id) values ($1)", 5);
                      try {
                        sql.exec("insert into notes (id) values ($1)", 5);
                      } catch (const Error&) {
                      }
                    }),
            "a statement failed, and the function went on");
  EXPECT_EQ(run("count", [](Sql& sql) { return sql.value<int>("select count(*) from notes"); }), 0);
}

using TransactionsElsewhere = Transactions;

TEST_P(TransactionsElsewhere, RequireADatabaseOwnedByTheClient) {
  Worker worker{client, leaving()};
  worker.workflow("note", [](Workflow& wf) { wf.transaction("write", [](Sql&) {}); });
  worker.start();
  const RunFailed failed = failure_of(client.start("note"));
  EXPECT_EQ(failed.code(), "no_database");
  const std::string why = GetParam() == Way::http
                              ? "this client talks to a server, and the server's database is not its own"
                              : "this client's store is in memory, which takes no SQL";
  EXPECT_EQ(failed.detail(), "the transaction 'write' needs a client of sqlite: or postgres: " + why);
}

// Spawned tasks begin before the transaction. A refused one fails only where it is awaited.
TEST_P(Transactions, AreIndependentOfTasksSpawnedBefore) {
  Worker worker{client, leaving()};
  worker.workflow("caught", [&](Workflow& wf) {
    const auto refused = wf.spawn("t", Json{}, {.queue = std::string(300, 'q')});
    const int only = wf.transaction("only", [](Sql&) { return 1; });
    std::string code;
    try {
      (void)refused.get();
    } catch (const StepFailed& failure) {
      code = failure.code();
    }
    std::string key;
    try {
      key = wf.execution_key();
    } catch (const Failure& failure) {
      key = failure.code();
    }
    return Json{{"code", code}, {"key", key}, {"only", only}};
  });
  worker.start();
  const pawl::Run run = client.start("caught");
  const Json given = run.result<Json>(30s);
  EXPECT_EQ(given.at("code"), "invalid_argument");
  EXPECT_EQ(given.at("key"), "not_in_step") << "no step is running";
  EXPECT_EQ(given.at("only"), 1);
}

TEST_P(Transactions, RejectCallsOfTheClient) {
  Worker worker{client, leaving()};
  std::atomic<int> calls = 0;
  worker.workflow("mixed", [&](Workflow& wf) {
    return wf.transaction("only", [&](Sql&) {
      ++calls;
      return client.enqueue("t", 1).id;
    });
  });
  worker.start();
  const RunFailed failed = failure_of(client.start("mixed"));
  EXPECT_EQ(failed.code(), "invalid_state");
  EXPECT_EQ(calls, 1) << "it would be refused each time";
}

TEST_P(Transactions, OfConcurrentRunsLoseNoUpdate) {
  (void)run("make", [](Sql& sql) {
    sql.exec("drop table if exists counter");
    sql.exec("create table counter (n bigint not null)");
    return sql.exec("insert into counter values (0)");
  });
  {
    Worker worker{client, leaving()};
    worker.workflow("count", [](Workflow& wf) {
      wf.transaction("add", [](Sql& sql) { sql.exec("update counter set n = n + 1"); });
    });
    worker.start();
    std::vector<pawl::Run> runs;
    for (int i = 0; i < 40; ++i) runs.push_back(client.start("count"));
    for (const pawl::Run& run : runs) run.wait(30s);
  }
  EXPECT_EQ(run("read", [](Sql& sql) { return sql.value<int>("select n from counter"); }), 40);
}

// Transactions run on databases; everywhere else they fail with the reason.
bool has_database(Way way) { return way == Way::sqlite || way == Way::postgres; }

std::vector<Way> ways_where(bool has) {
  std::vector<Way> ways = all_ways();
  std::erase_if(ways, [has](Way way) { return has_database(way) != has; });
  return ways;
}
std::string name_of_way(const ::testing::TestParamInfo<Way>& way) { return name_of(way.param); }

INSTANTIATE_TEST_SUITE_P(Ways, Transactions, ::testing::ValuesIn(ways_where(true)), name_of_way);
INSTANTIATE_TEST_SUITE_P(Ways, TransactionsElsewhere, ::testing::ValuesIn(ways_where(false)), name_of_way);

}  // namespace
}  // namespace pawl::testing
