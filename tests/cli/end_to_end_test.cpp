// The pawl program against a real server.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"
#include "tests/support/env.hpp"
#include "tests/support/scripted_server.hpp"

namespace pawl::testing {
namespace {

class Live : public ::testing::Test {
 protected:
  std::vector<std::string> worker(const std::string& rule, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"worker", "--handle", rule, "--lease", "1500ms"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  LiveServer server;
};

TEST_F(Live, ATaskRoundTrips) {
  std::ofstream{server.file("payload.json")} << "{\"n\": 12345678901234567890.50,\n \"a\":1}\n";
  const auto id = server.enqueue("t", {"@" + server.file("payload.json"), "--key", "k", "--label", "a=b"});
  const auto shown = server.pawl({"task", "show", id, "--json"}).out;
  EXPECT_NE(shown.find(R"("payload":{"n": 12345678901234567890.50,  "a":1})"), std::string::npos) << shown;
  const auto listed = server.pawl({"task", "list", "--label", "a=b", "--key", "k", "--json"});
  EXPECT_NE(listed.out.find(id), std::string::npos);
  EXPECT_EQ(server.pawl({"task", "list", "--label", "a=c", "--json"}).out, "");
}

TEST_F(Live, ATaskShowsItsFairnessKey) {
  const auto made = server.pawl(
      {"task", "enqueue", "t", "{}", "--fairness-key", "ada", "--fairness-weight", "2.5", "--json"});
  EXPECT_NE(made.out.find(R"("fairness_key":"ada","fairness_weight":2.5)"), std::string::npos) << made.out;
  EXPECT_EQ(server.pawl({"task", "enqueue", "t", "{}", "--json"}).out.find("fairness"), std::string::npos);
  const auto refused = server.pawl({"task", "enqueue", "t", "{}", "--fairness-weight", "2"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("fairness_weight"), std::string::npos) << refused.err;
}

TEST_F(Live, APriorityHasThirtyTwoBits) {
  const auto id = server.enqueue("mail", {"--priority", "-2147483648"});
  EXPECT_EQ(server.show(id)["priority"], -2147483648LL);
  const auto refused = server.pawl({"task", "enqueue", "mail", "--priority", "2147483648"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("2147483648 is out of range (-2147483648 to 2147483647)"), std::string::npos)
      << refused.err;
}

TEST_F(Live, ThePayloadMayComeFromStandardInput) {
  const auto ended = server.pawl({"task", "enqueue", "t", "-", "--json"}, "[1, 2]\n");
  EXPECT_NE(ended.out.find(R"("payload":[1, 2],)"), std::string::npos) << ended.out << ended.err;
}

TEST_F(Live, ListsFollowAllPages) {
  for (int i = 0; i < 5; ++i) server.enqueue("t");
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(server.pawl({"task", "list", "--all", "--json"}).out), 5);
  EXPECT_EQ(lines(server.pawl({"task", "list", "--limit", "2", "--json"}).out), 2);
  EXPECT_EQ(lines(server.pawl({"task", "list"}).out), 6);  // and the column titles
  for (const char* noun : {"task", "run"}) {
    const auto none = server.pawl({noun, "list", "--limit", "0"});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_NE(none.err.find("--limit"), std::string::npos) << none.err;
  }
}

TEST_F(Live, EachKindOfFailureHasItsExitCode) {
  EXPECT_EQ(server.pawl({"task", "show", "0198c0de-0000-7000-8000-000000000000"}).exit_code, 1);
  EXPECT_EQ(server.pawl({"task", "enqueue", "t", "{"}).exit_code, 2);
  EXPECT_EQ(server.pawl({"task", "nothing"}).exit_code, 2);
  EXPECT_EQ(run_pawl({"task", "list"}, {{"PAWL_ADDRESS", "http://127.0.0.1:1"}}).exit_code, 3);
}

// Exit code 2 is only for errors that the command line detects itself.
TEST_F(Live, ARejectionByTheServerExitsWithOne) {
  std::ofstream{server.file("cyclic.yaml")} << "name: cyclic\ntasks:\n"
                                               "  - {id: a, activity: t, after: [b]}\n"
                                               "  - {id: b, activity: t, after: [a]}\n";
  const auto cyclic = server.pawl({"workflow", "apply", server.file("cyclic.yaml")});
  EXPECT_EQ(cyclic.exit_code, 1);
  EXPECT_NE(cyclic.err, "");
  EXPECT_EQ(server.pawl({"workflow", "apply", server.file("none.yaml")}).exit_code, 2);
  EXPECT_EQ(server.pawl({"task", "list", "--namespace", "no name"}).exit_code, 1);
  EXPECT_EQ(server.pawl({"worker", "--handle", "t=true", "--namespace", "no name"}).exit_code, 1);
}

TEST_F(Live, TopPrintsLinesInAPipeAndOneJsonDocumentPerRefresh) {
  server.enqueue("t", {"--queue", "mail"});
  const auto once = server.pawl({"top", "--once", "--json"});
  EXPECT_EQ(std::count(once.out.begin(), once.out.end(), '\n'), 1) << once.out;
  const auto look = nlohmann::json::parse(once.out);
  EXPECT_EQ(look["queues"][0]["name"], "mail");
  EXPECT_EQ(look["queues"][0]["counts"]["pending"], 1);
  EXPECT_TRUE(look["workers"].empty());
  for (const auto& words : {std::vector<std::string>{"top"}, std::vector<std::string>{"top", "--json"}}) {
    Program top{words, server.variables()};
    EXPECT_TRUE(top.read_until("mail"));
    top.signal(SIGTERM);
    EXPECT_EQ(top.wait(), 0);
    EXPECT_EQ(top.out().find('\x1b'), std::string::npos) << top.out();
    const bool is_json = words.size() > 1;
    EXPECT_EQ(nlohmann::json::accept(top.read_line()), is_json) << top.out();
  }
}

TEST_F(Live, QueuesAreSetAndShown) {
  EXPECT_EQ(server.pawl({"queue", "set", "mail", "--paused", "--rate", "100/1s"}).exit_code, 0);
  const auto listed = server.pawl({"queue", "list"}).out;
  EXPECT_NE(listed.find("paused"), std::string::npos) << listed;
  EXPECT_NE(listed.find("100/1s"), std::string::npos) << listed;
  EXPECT_EQ(server.pawl({"queue", "set", "mail", "--rate", "fast"}).exit_code, 2);
  EXPECT_NE(server.pawl({"top", "--once"}).out.find("mail (paused)"), std::string::npos);
  EXPECT_EQ(server.pawl({"queue", "set", "mail", "--paused=false"}).exit_code, 0);
  EXPECT_EQ(server.pawl({"queue", "list"}).out.find("paused"), std::string::npos);
  EXPECT_EQ(server.pawl({"queue", "set", "mail", "--paused=true"}).exit_code, 0);
  EXPECT_NE(server.pawl({"queue", "list"}).out.find("paused"), std::string::npos);
}

TEST_F(Live, TheDoctorFindsTheServerHealthy) {
  const auto ended = server.pawl({"doctor", "--store", "sqlite:" + server.file("pawl.db")});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_EQ(ended.out.find("failed"), std::string::npos) << ended.out;
  EXPECT_EQ(run_pawl({"doctor"}, {{"PAWL_ADDRESS", "http://127.0.0.1:1"}}).exit_code, 3);
}

TEST_F(Live, AWorkerRunsAProgramAndStopsOnASignal) {
  Program worker{this->worker("echo.*=cat; env >" + server.file("env")), server.variables()};
  const auto id = server.enqueue("echo.it", {R"({"a": 1})"});
  const auto task = server.await_status(id, "completed");
  EXPECT_EQ(task["output"], nlohmann::json::parse(R"({"a": 1})"));
  std::ifstream file{server.file("env")};
  const std::string environment{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_NE(environment.find("PAWL_TASK_ID=" + id), std::string::npos);
  EXPECT_NE(environment.find("PAWL_EXECUTION_KEY=" + id + ":1"), std::string::npos);
  EXPECT_NE(environment.find("PAWL_OPERATION_KEY=" + id + "\n"), std::string::npos);
  EXPECT_EQ(task["operation_key"], id);
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Live, AFailingProgramEndsAsADeadLetter) {
  Program worker{this->worker("bad=echo reason >&2; exit 7"), server.variables()};
  const auto id = server.enqueue("bad", {"--max-attempts", "1"});
  const auto task = server.await_status(id, "dead_letter");
  EXPECT_EQ(task["error"]["code"], "exit_7");
  EXPECT_EQ(task["error"]["message"], "reason");
  EXPECT_NE(server.pawl({"task", "dead"}).out.find("exit_7"), std::string::npos);
  EXPECT_EQ(server.pawl({"task", "retry", "--type", "bad", "--dry-run"}).out,
            "1 tasks match; nothing was changed\n");
  EXPECT_NE(server.pawl({"task", "retry"}).exit_code, 0) << "neither an id nor a filter";
  EXPECT_EQ(server.pawl({"task", "retry", id}).exit_code, 0);
}

TEST_F(Live, AWorkerOfATypePrefixClaimsNoOtherTypes) {
  const auto others = server.enqueue("mail.send", {"--max-attempts", "1"});
  Program worker{this->worker("report.*=echo 1"), server.variables()};
  server.await_status(server.enqueue("report.daily"), "completed");
  EXPECT_TRUE(server.show(others)["error"].is_null());
  Program other{this->worker("mail.send=echo 2"), server.variables()};
  const auto task = server.await_status(others, "completed");
  EXPECT_EQ(task["output"], 2);
  EXPECT_EQ(task["attempt"], 1) << "what was given back is not spent";
}

TEST_F(Live, AProgramDoesNotInheritTheSecretsOfTheWorker) {
  auto variables = server.variables();
  variables["PAWL_TOKEN"] = "of-the-worker";
  variables["PAWL_STORE"] = "postgres://pawl:of-the-store@db/pawl";
  variables["PAWL_TOKEN_FILE"] = "/run/of-the-file";
  variables["OTHER"] = "seen";
  Program worker{this->worker("t=env >" + server.file("env")), variables};
  server.await_status(server.enqueue("t"), "completed");
  std::ifstream file{server.file("env")};
  const std::string environment{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_NE(environment.find("OTHER=seen"), std::string::npos) << environment;
  for (const char* secret : {"of-the-worker", "of-the-store", "of-the-file"})
    EXPECT_EQ(environment.find(secret), std::string::npos) << environment;
  EXPECT_NE(environment.find("PAWL_ADDRESS=" + server.address()), std::string::npos) << environment;
}

TEST_F(Live, TheProgramOfAKilledWorkerIsStopped) {
  Program worker{this->worker("t=trap ': >" + server.file("stopped") + "; exit' TERM; : >" +
                              server.file("started") + "; while :; do sleep 0.05; done"),
                 server.variables()};
  (void)server.enqueue("t");
  server.await_file("started");
  worker.signal(SIGKILL);
  server.await_file("stopped");
}

TEST_F(Live, ATaskOfAKilledWorkerCompletesElsewhere) {
  const auto rule = "t=if [ $PAWL_ATTEMPT = 1 ]; then : >" + server.file("started") +
                    "; exec sleep 60 >/dev/null 2>&1; fi; echo '\"second\"'";
  Program first{worker(rule), server.variables()};
  const auto id = server.enqueue("t");
  server.await_file("started");
  first.signal(SIGKILL);
  Program second{worker(rule), server.variables()};
  const auto task = server.await_status(id, "completed");
  EXPECT_EQ(task["output"], "second");
  EXPECT_EQ(task["attempt"], 2) << task["attempts"].dump();
  EXPECT_EQ(task["attempts"][0]["outcome"], "lease_expired");
}

TEST_F(Live, ALongTaskKeepsItsLease) {
  Program worker{this->worker("t=sleep 4; echo $PAWL_FENCE"), server.variables()};
  const auto task = server.await_status(server.enqueue("t"), "completed");
  EXPECT_EQ(task["output"], 1);
}

TEST_F(Live, AProgramIsStoppedWhenItsLeaseCannotBeRenewed) {
  const auto rule = "t=if [ $PAWL_ATTEMPT != 1 ]; then echo $PAWL_ATTEMPT; exit; fi; trap ': >" +
                    server.file("stopped") + "; echo late; exit' TERM; : >" + server.file("started") +
                    "; while :; do sleep 0.1; done";
  Program worker{this->worker(rule), server.variables()};
  const auto id = server.enqueue("t");
  server.await_file("started");
  server.signal(SIGSTOP);
  server.await_file("stopped");
  server.signal(SIGCONT);
  const auto task = server.await_status(id, "completed");
  EXPECT_NE(task["output"], "late");
  EXPECT_EQ(task["attempts"][0]["outcome"], "lease_expired");
}

TEST_F(Live, AnHttpAddressMayBeAHandler) {
  ScriptedServer handler{{{response(503, "busy")}, {response(200, R"({"done": true})")}}};
  const auto address = "http://127.0.0.1:" + handler.port() + "/tasks";
  Program worker{{"worker", "--handle-http", "crm.*=" + address}, server.variables()};
  const auto id = server.enqueue("crm.sync", {"[1, 2]"});
  const auto task = server.await_status(id, "completed");
  EXPECT_EQ(task["output"], nlohmann::json::parse(R"({"done": true})"));
  EXPECT_EQ(task["attempts"][0]["error"]["code"], "http_503");
  const auto& request = handler.requests()[0];
  EXPECT_TRUE(request.starts_with("POST /tasks HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("idempotency-key: " + id + "\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find(R"("payload":[1, 2])"), std::string::npos) << request;
}

TEST_F(Live, AnHttpHandlerFollowsNoRedirectAndCallsNoPrivateAddress) {
  ScriptedServer handler{{{response(302, "", "Location: http://127.0.0.1:1/\r\n")}}};
  Program worker{{"worker", "--handle-http", "a=http://127.0.0.1:" + handler.port(), "--handle-http",
                  "b=http://10.255.255.1:9000/tasks"},
                 server.variables()};
  EXPECT_EQ(server.await_status(server.enqueue("a"), "failed")["error"]["code"], "http_302");
  EXPECT_EQ(server.await_status(server.enqueue("b"), "failed")["error"]["code"], "forbidden");
}

TEST_F(Live, AWorkerReconnectsAfterAServerRestart) {
  Program worker{this->worker("t=echo 1"), server.variables()};
  server.await_status(server.enqueue("t"), "completed");
  server.restart();
  server.await_status(server.enqueue("t"), "completed");
}

TEST_F(Live, ACancelStopsTheProgram) {
  Program worker{this->worker("t=trap ': >" + server.file("stopped") + "; exit 1' TERM; : >" +
                              server.file("started") + "; while :; do sleep 0.1; done"),
                 server.variables()};
  const auto id = server.enqueue("t");
  server.await_file("started");
  EXPECT_EQ(server.pawl({"task", "cancel", id}).exit_code, 0);
  server.await_status(id, "cancelled");
  server.await_file("stopped");
}

TEST_F(Live, AStoppingWorkerFinishesItsTasks) {
  Program worker{this->worker("t=: >" + server.file("started") + "; while [ ! -e " + server.file("go") +
                              " ]; do sleep 0.1; done; echo 1"),
                 server.variables()};
  const auto id = server.enqueue("t");
  server.await_file("started");
  worker.signal(SIGTERM);
  std::ofstream{server.file("go")} << "";
  EXPECT_EQ(worker.wait(), 0);
  EXPECT_EQ(server.show(id)["status"], "completed");
}

TEST_F(Live, AStoppingWorkerWithoutADrainTimeoutReleasesItsTasks) {
  Program worker{
      this->worker("t=: >" + server.file("started") + "; exec sleep 60", {"--drain-timeout", "0s"}),
      server.variables()};
  const auto id = server.enqueue("t");
  server.await_file("started");
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
  const auto task = server.show(id);
  EXPECT_EQ(task["status"], "pending");
  EXPECT_EQ(task["attempts"][0]["outcome"], "released");
}

// Stops workers at random moments, with and without time to finish: each task has one attempt, and a graceful
// stop consumes none.
TEST_F(Live, B53_WorkersStoppedAtAnyMomentLoseNoTaskAndNoAttempt) {
  std::vector<std::string> ids;
  for (int i = 0; i < 40; ++i) ids.push_back(server.enqueue("t", {"--max-attempts", "1"}));
  const auto left = [this] {
    return server.pawl({"task", "list", "--status", "pending,claimed,running", "--json"}).out;
  };
  SeededRandom random{53};
  for (int i = 0; i < 200 && !left().empty(); ++i) {
    const bool may_finish = random.below(2) == 0;
    Program worker{this->worker("t=sleep 0.02; echo 1",
                                {"--concurrency", "4", "--drain-timeout", may_finish ? "10s" : "0s"}),
                   server.variables()};
    std::this_thread::sleep_for(std::chrono::milliseconds{random.below(250)});  // a random moment
    worker.signal(SIGTERM);
    const int ended = worker.wait();
    EXPECT_TRUE(ended == 0 || ended == -SIGTERM)
        << ended;  // the latter before the handler is installed: it holds no task yet
  }
  for (const std::string& id : ids) {
    const auto task = server.show(id);
    EXPECT_EQ(task["status"], "completed");
    for (const auto& attempt : task["attempts"])
      EXPECT_TRUE(attempt["outcome"] == "released" || attempt["outcome"] == "completed") << attempt;
  }
}

}  // namespace
}  // namespace pawl::testing
