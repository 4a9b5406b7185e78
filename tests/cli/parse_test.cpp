#include "cli/parse.hpp"

#include <gtest/gtest.h>

#include "cli/help.hpp"
#include "cli/nearest.hpp"

namespace pawl::cli {
namespace {

class Parsing : public ::testing::Test {
 protected:
  Input accepted(const std::vector<std::string>& words, const Environment& environment = {}) {
    const auto parsed = parse(table, words, environment);
    if (const auto* wrong = std::get_if<WrongUsage>(&parsed)) ADD_FAILURE() << wrong->message;
    const auto* invocation = std::get_if<Invocation>(&parsed);
    return invocation != nullptr ? invocation->input : Input{};
  }
  std::string refused(const std::vector<std::string>& words, const Environment& environment = {}) {
    const auto parsed = parse(table, words, environment);
    const auto* wrong = std::get_if<WrongUsage>(&parsed);
    return wrong != nullptr ? wrong->message : "";
  }
  std::string shown(const std::vector<std::string>& words) {
    const auto parsed = parse(table, words, {});
    const auto* text = std::get_if<TextToShow>(&parsed);
    return text != nullptr ? text->text : "";
  }

  CommandTable table = all_commands();
};

TEST_F(Parsing, PrefersFlagsToVariablesToDefaults) {
  EXPECT_EQ(accepted({"task", "list"}).text("--namespace"), "default");
  EXPECT_EQ(accepted({"task", "list"}, {{"PAWL_NAMESPACE", "e"}}).text("--namespace"), "e");
  EXPECT_EQ(accepted({"task", "list", "--namespace", "f"}, {{"PAWL_NAMESPACE", "e"}}).text("--namespace"),
            "f");
}

TEST_F(Parsing, PrefersAFlagToTheVariableOfItsAlternative) {
  const Environment both{{"PAWL_TOKEN", "t"}, {"PAWL_TOKEN_FILE", "f"}};
  EXPECT_FALSE(accepted({"task", "list", "--token-file", "g"}, both).has("--token"));
  EXPECT_FALSE(accepted({"task", "list", "--token", "u"}, both).has("--token-file"));
  const auto from_variables = accepted({"task", "list"}, both);
  EXPECT_EQ(from_variables.text("--token"), "t");
  EXPECT_FALSE(from_variables.has("--token-file"));
}

TEST_F(Parsing, AcceptsCommonFlagsBeforeTheCommand) {
  const auto input = accepted({"--namespace", "a", "--json", "task", "--token=t", "list"});
  EXPECT_EQ(input.text("--namespace"), "a");
  EXPECT_EQ(input.text("--token"), "t");
  EXPECT_TRUE(input.has("--json"));
}

TEST_F(Parsing, AcceptsAnyTextAsAPayload) {
  EXPECT_EQ(accepted({"task", "enqueue", "t", "[1,2]"}).text("PAYLOAD"), "[1,2]");
  EXPECT_EQ(accepted({"task", "enqueue", "t", "-"}).text("PAYLOAD"), "-");
  EXPECT_EQ(accepted({"task", "enqueue", "--", "t", "-5"}).text("PAYLOAD"), "-5");
}

TEST_F(Parsing, KeepsAllValuesOfARepeatedFlag) {
  const auto input = accepted({"task", "enqueue", "--label", "a=[1,2]", "t", "--label", "b=2", "{}"});
  EXPECT_EQ(input.all("--label"), (std::vector<std::string>{"a=[1,2]", "b=2"}));
  EXPECT_EQ(input.text("TYPE"), "t");
  EXPECT_EQ(input.text("PAYLOAD"), "{}");
}

TEST_F(Parsing, RejectsADuplicateFlag) {
  EXPECT_NE(refused({"task", "list", "--queue", "a", "--queue", "b"}), "");
}

TEST_F(Parsing, ChecksTheTypesOfValues) {
  EXPECT_NE(refused({"task", "list", "--limit", "x"}).find("not a number"), std::string::npos);
  for (const std::string text : {".", "..", "1..2", "1.2.3", "1e3", "-1", "inf"}) {
    EXPECT_NE(refused({"bench", "jobs", "--seconds", text}).find("'" + text + "' is not a number"),
              std::string::npos)
        << text << ": " << refused({"bench", "jobs", "--seconds", text});
  }
  EXPECT_EQ(accepted({"bench", "jobs", "--seconds", "0.5"}).real("--seconds"), 0.5);
  EXPECT_EQ(accepted({"bench", "jobs", "--seconds", ".5"}).real("--seconds"), 0.5);
  EXPECT_NE(refused({"task", "enqueue", "t", "--delay", "1 week"}).find("not a duration"), std::string::npos);
  EXPECT_NE(refused({"task", "enqueue", "t", "--run-at", "noon"}).find("not a time"), std::string::npos);
  EXPECT_NE(refused({"task", "list", "--order", "acs"}).find("did you mean 'asc'?"), std::string::npos);
  EXPECT_EQ(accepted({"task", "enqueue", "t", "--priority", "-5"}).integer("--priority"), -5);
}

TEST_F(Parsing, SupportsSwitchesWithAValue) {
  EXPECT_FALSE(accepted({"queue", "set", "q"}).has("--paused"));
  EXPECT_EQ(accepted({"queue", "set", "q", "--paused"}).text("--paused"), "true");
  EXPECT_EQ(accepted({"queue", "set", "q", "--paused=true"}).text("--paused"), "true");
  EXPECT_EQ(accepted({"queue", "set", "--paused=false", "q"}).text("--paused"), "false");
  EXPECT_NE(refused({"queue", "set", "q", "--paused=maybe"}), "");
}

TEST_F(Parsing, SuggestsTheNearestNameForATypo) {
  EXPECT_NE(refused({"tsak"}).find("did you mean 'task'?"), std::string::npos);
  EXPECT_NE(refused({"task", "lits"}).find("did you mean 'list'?"), std::string::npos);
  EXPECT_NE(refused({"task", "list", "--quue", "x"}).find("did you mean '--queue'?"), std::string::npos);
  EXPECT_NE(refused({"worker", "drian"}).find("did you mean 'drain'?"), std::string::npos);
}

TEST_F(Parsing, SuggestsTheOnlyNameForAPrefix) {
  EXPECT_NE(refused({"sched"}).find("did you mean 'schedule'?"), std::string::npos);
  EXPECT_NE(refused({"task", "enq"}).find("did you mean 'enqueue'?"), std::string::npos);
  EXPECT_NE(refused({"task", "enque"}).find("did you mean 'enqueue'?"), std::string::npos);
  EXPECT_EQ(refused({"run", "re"}).find("did you mean"), std::string::npos) << "retry, resume and others";
}

TEST_F(Parsing, AcceptsHelpBeforeTheCommand) {
  EXPECT_EQ(shown({"help"}), help_text(table, ""));
  EXPECT_EQ(shown({"help", "task"}), shown({"task", "--help"}));
  EXPECT_EQ(shown({"help", "task", "list"}), shown({"task", "list", "--help"}));
  EXPECT_NE(refused({"help", "tsak"}).find("did you mean 'task'?"), std::string::npos);
}

TEST_F(Parsing, NamesMissingFlags) {
  EXPECT_NE(refused({"schedule", "backfill", "nightly"}).find("--from is required"), std::string::npos);
  EXPECT_NE(refused({"run", "rewind", "id"}).find("--to is required"), std::string::npos);
}

TEST_F(Parsing, NamesMissingArguments) {
  EXPECT_NE(refused({}).find("pawl needs a command"), std::string::npos);
  EXPECT_NE(refused({"task"}).find("pawl task needs a command"), std::string::npos);
  EXPECT_NE(refused({"task", "show"}).find("ID is required"), std::string::npos);
}

TEST_F(Parsing, TreatsWorkerAsACommandAndAGroup) {
  EXPECT_EQ(accepted({"worker", "--handle", "a=b c"}).text("--handle"), "a=b c");
  EXPECT_EQ(accepted({"worker", "drain", "w1"}).text("ID"), "w1");
}

TEST_F(Parsing, HasHelpWithAnExampleAtEveryLevel) {
  for (const auto* level : {"", "task", "worker", "queue", "token", "bench"}) {
    const auto text = shown(*level == '\0' ? std::vector<std::string>{"--help"}
                                           : std::vector<std::string>{level, "--help"});
    EXPECT_NE(text.find("Commands:"), std::string::npos) << level;
    EXPECT_NE(text.find("Example:\n  "), std::string::npos) << level;
  }
  for (const auto& command : table.commands) {
    const auto text = help_text(table, command.path);
    EXPECT_NE(text.find(command.example), std::string::npos) << command.path;
    for (const auto& flag : command.flags) EXPECT_NE(text.find(flag.name), std::string::npos) << command.path;
  }
}

TEST_F(Parsing, AcceptsEveryExampleOfTheHelp) {
  for (const auto& command : table.commands) {
    EXPECT_NE(command.example.find("pawl " + command.path), std::string::npos) << command.path;
    EXPECT_FALSE(command.summary.empty()) << command.path;
  }
}

TEST(Nearest, CountsAddedDroppedChangedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("task", "task"), 0U);
  EXPECT_EQ(edit_distance("tsak", "task"), 1U);
  EXPECT_EQ(edit_distance("", "ab"), 2U);
  EXPECT_EQ(nearest("xyz", {"task", "queue"}), std::nullopt);
  EXPECT_EQ(nearest("queu", {"task", "queue"}), "queue");
}

}  // namespace
}  // namespace pawl::cli
