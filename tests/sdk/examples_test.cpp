// The examples as a user runs them: their output, also after a kill at any of their steps.

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tests/cli/program.hpp"
#include "tests/places/places.hpp"
#include "tests/sdk/fixture.hpp"

namespace pawl::testing {
namespace {

using Lines = std::vector<std::string>;

Ended run_example(const std::string& name, const Lines& arguments) {
  Program program{sdk_examples_dir() + "/" + name, arguments, {}};
  const int exit_code = program.wait();
  return {.exit_code = exit_code, .out = program.out(), .err = program.err()};
}

Lines lines_of(const std::string& file) {
  Lines lines;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Lines without_repeats(const Lines& lines) {
  Lines once;
  for (const std::string& line : lines) {
    if (std::find(once.begin(), once.end(), line) == once.end()) once.push_back(line);
  }
  return once;
}

TEST(SdkExamples, PrintWhatTheGuideShows) {
  const TemporaryFolder folder;
  const auto in = [&](const std::string& name) { return "sqlite:" + folder.path() + "/" + name; };
  EXPECT_EQ(run_example("hello", {in("hello")}).out, "Hello, Ada, your greeting has 10 letters\n");
  EXPECT_EQ(run_example("order_saga", {in("order")}).out, "paid\n");
  EXPECT_EQ(run_example("order_saga", {in("expired"), "/dev/null", "expired"}).out,
            "compensated: invalid_card, the card has expired\n");
  EXPECT_EQ(run_example("approval", {in("yes"), "yes"}).out, "paid 120\n");
  EXPECT_EQ(run_example("approval", {in("no"), "no"}).out, "refused by Grace\n");
  EXPECT_EQ(run_example("approval", {in("nobody"), "-"}).out, "not_approved: no answer in time\n");
  EXPECT_EQ(run_example("pipeline", {in("pipeline")}).out,
            R"({"bytes":230000,"first":"https://example.org/image-0.png","published":20})"
            "\n");
  EXPECT_EQ(run_example("agent", {in("agent")}).out, "It is 1083 feet high.\n");
  EXPECT_EQ(run_example("embedding", {in("shop")}).out, "apple for 5\nmelon for 5\nkiwi for 4\n3 receipts\n");
}

TEST(SdkExamples, AreQuotedUnchangedInTheGuide) {
  const auto text_of = [](const std::string& path) {
    std::ifstream in{source_dir() + "/" + path};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  };
  const std::string guide = text_of("docs/guides/cpp.md");
  const std::string hello = text_of("examples/sdk/hello.cpp");
  EXPECT_NE(guide.find(hello.substr(hello.find("#include"))), std::string::npos);
}

TEST(SdkExamples, RunOnAFileOrAServerDependingOnTheAddress) {
  for (const Way way : {Way::sqlite, Way::postgres, Way::http}) {
    const Place place{way};
    const Ended ended = run_example("moving", {place.address()});
    EXPECT_EQ(ended.out, "30\n") << name_of(way) << ended.err;
  }
}

struct Killed {
  std::string name;
  Lines more = {};  // arguments
};

// B48: a step whose result was stored never runs again, wherever the process dies.
class KilledExample : public ::testing::TestWithParam<Killed> {};

TEST_P(KilledExample, PrintsTheSameWhereverItIsKilled) {
  const TemporaryFolder folder;
  const auto arguments = [&](const std::string& name) {
    Lines all{"sqlite:" + folder.path() + "/" + name + ".db", folder.path() + "/" + name + ".txt"};
    all.insert(all.end(), GetParam().more.begin(), GetParam().more.end());
    return all;
  };
  const Ended whole = run_example(GetParam().name, arguments("whole"));
  const Lines expected = lines_of(folder.path() + "/whole.txt");
  ASSERT_FALSE(expected.empty());
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const std::string name = "killed-" + std::to_string(at);
    const std::string ledger = folder.path() + "/" + name + ".txt";
    {
      Program program{sdk_examples_dir() + "/" + GetParam().name, arguments(name), {}};
      ASSERT_TRUE(eventually([&] { return lines_of(ledger).size() > at; }));
      program.signal(SIGKILL);
      EXPECT_TRUE(program.wait() == -SIGKILL || program.out() == whole.out);
    }
    const Ended again = run_example(GetParam().name, arguments(name));
    EXPECT_EQ(again.out, whole.out) << "killed at " << expected[at] << ": " << again.err;
    const Lines done = lines_of(ledger);
    EXPECT_EQ(without_repeats(done), expected);
    // Only the step that was running at the kill may run again.
    EXPECT_LE(done.size(), expected.size() + 1) << "killed at " << expected[at];
  }
}

// The same for transactions, which the database must contain once each, whatever the ledger shows.
class KilledTransfer : public ::testing::TestWithParam<Way> {};

// Tables that are not Pawl's survive the previous test.
void drop_accounts(const std::string& address) {
  const Client client = connect(address);
  Worker worker{client, quiet()};
  worker.workflow("drop", [](Workflow& wf) {
    wf.transaction("drop", [](Sql& sql) { sql.exec("drop table if exists accounts"); });
  });
  worker.start();
  client.start("drop").wait(30s);
}

TEST_P(KilledTransfer, MovesTheMoneyOnceWhereverItIsKilled) {
  const std::string said =
      R"({"accounts":[{"balance":70,"name":"alice"},{"balance":130,"name":"bob"}],"left":70})"
      "\n";
  const TemporaryFolder folder;
  std::size_t lines = 1;
  for (std::size_t at = 0; at < lines; ++at) {
    const Place place{GetParam()};
    drop_accounts(place.address());
    const std::string ledger = folder.path() + "/" + std::to_string(at);
    {
      Program program{sdk_examples_dir() + "/transfer", {place.address(), ledger}, {}};
      ASSERT_TRUE(eventually([&] { return lines_of(ledger).size() > at; }));
      program.signal(SIGKILL);
      EXPECT_TRUE(program.wait() == -SIGKILL || program.out() == said);
    }
    const Ended again = run_example("transfer", {place.address(), ledger});
    EXPECT_EQ(again.out, said) << "killed at line " << at << ": " << again.err;
    lines = std::max<std::size_t>(lines, without_repeats(lines_of(ledger)).size());
  }
  EXPECT_EQ(lines, 7U);
}

INSTANTIATE_TEST_SUITE_P(Stores, KilledTransfer, ::testing::Values(Way::sqlite, Way::postgres),
                         [](const auto& way) { return name_of(way.param); });

INSTANTIATE_TEST_SUITE_P(Examples, KilledExample,
                         ::testing::Values(Killed{.name = "hello"}, Killed{.name = "agent"},
                                           Killed{.name = "order_saga", .more = {"expired"}}),
                         [](const auto& example) { return example.param.name; });

}  // namespace
}  // namespace pawl::testing
