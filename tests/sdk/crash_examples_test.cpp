// Crashes the examples before and after every durable write: their output stays the same, and no durable step
// runs again.

#include <fstream>
#include <iostream>
#include <sstream>

#include "pawl/testing.hpp"
#include "tests/sdk/fixture.hpp"

// Includes the examples unchanged; each is a program.
#define main agent_main
#include "examples/sdk/agent.cpp"
#undef main
#define main approval_main
#include "examples/sdk/approval.cpp"
#undef main
#define main embedding_main
#include "examples/sdk/embedding.cpp"
#undef main
#define main hello_main
#include "examples/sdk/hello.cpp"
#undef main
#define main moving_main
#include "examples/sdk/moving.cpp"
#undef main
#define main saga_main
#include "examples/sdk/order_saga.cpp"
#undef main
#define main pipeline_main
#include "examples/sdk/pipeline.cpp"
#undef main

namespace pawl::testing {
namespace {

using Lines = std::vector<std::string>;

struct Example {
  std::string name;
  int (*program)(int, char**);
  Lines more = {};  // arguments after the address; "LEDGER" stands for the ledger's path
  std::string says;
};

class CrashedExample : public ::testing::TestWithParam<Example> {
 public:
  // Returns its output and its ledger. Each line of the ledger appears once, except for at most one step that
  // was running.
  std::string run(Environment& env) {
    Lines words{GetParam().name, env.address()};
    const std::string ledger = folder.path() + "/" + std::to_string(++runs);
    for (const std::string& word : GetParam().more) words.push_back(word == "LEDGER" ? ledger : word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    std::ostringstream said;
    std::streambuf* const before = std::cout.rdbuf(said.rdbuf());
    GetParam().program(static_cast<int>(arguments.size()), arguments.data());
    std::cout.rdbuf(before);
    return said.str() + lines_of(ledger);
  }

  // Without repeats, of which a crash may leave one.
  static std::string lines_of(const std::string& file) {
    std::ifstream in{file};
    Lines lines;
    int repeats = 0;
    for (std::string line; std::getline(in, line);) {
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
        lines.push_back(line);
      } else {
        ++repeats;
      }
    }
    EXPECT_LE(repeats, 1);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  TemporaryFolder folder;
  int runs = 0;
};

TEST_P(CrashedExample, PrintsTheSameAfterEveryCrash) {
  const auto report = crash_everywhere_in([this](Environment& env) { return run(env); });
  EXPECT_EQ(report.result, GetParam().says);
  EXPECT_GE(report.points, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, CrashedExample,
    ::testing::Values(
        Example{"agent",
                agent_main,
                {"LEDGER"},
                "It is 1083 feet high.\nmodel 1\nsearch\nmodel 2\nconvert\nmodel 3\n"},
        Example{"approval", approval_main, {"yes"}, "paid 120\n"},
        Example{"approval_of_nobody", approval_main, {"-"}, "not_approved: no answer in time\n"},
        Example{"hello",
                hello_main,
                {"LEDGER"},
                "Hello, Ada, your greeting has 10 letters\ngreet\nmeasure\nsay goodbye\n"},
        Example{"moving", moving_main, {}, "30\n"},
        Example{"order_saga", saga_main, {"LEDGER", "good"}, "paid\nreserve\nprint label\ncharge\n"},
        Example{"order_saga_undone",
                saga_main,
                {"LEDGER", "expired"},
                "compensated: invalid_card, the card has expired\nreserve\nprint label\ncharge\nvoid "
                "label-7\nrelease hold-7\n"},
        Example{"pipeline",
                pipeline_main,
                {},
                "{\"bytes\":230000,\"first\":\"https://example.org/image-0.png\",\"published\":20}\n"}),
    [](const auto& example) { return example.param.name; });

// A crash may make the shop print once more than it sold; the sales are the same.
TEST(CrashedShop, SellsTheSameAfterEveryCrash) {
  const auto report = crash_everywhere_in([](Environment& env) {
    Shop shop{env.address()};
    std::string sold;
    for (const auto* item : {"apple", "melon", "kiwi"}) sold += shop.sell(item) + "\n";
    EXPECT_LE(shop.printed(), 4);
    return sold;
  });
  EXPECT_EQ(report.result, "apple for 5\nmelon for 5\nkiwi for 4\n");
}

}  // namespace
}  // namespace pawl::testing
