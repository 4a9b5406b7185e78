// Every mistake in a definition, with its message.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/definition/definition.hpp"
#include "tests/core/definitions.hpp"
#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

struct MistakenTasks {
  std::string tasks;
  std::vector<std::string> messages;
};

std::string with_tasks(const std::string& tasks) {
  return fmt::format(R"({{"name":"x","tasks":[{}]}})", tasks);
}

std::vector<std::string> messages_of(const std::string& text) {
  const auto parsed = parse_definition(text);
  if (parsed) return {"nothing was refused"};
  std::vector<std::string> messages;
  for (const FieldError& error : parsed.problem().errors)
    messages.push_back(error.field.empty() ? error.message
                                           : fmt::format("{}: {}", error.field, error.message));
  return messages;
}

void expect_refused(const std::vector<MistakenTasks>& mistaken) {
  for (const MistakenTasks& one : mistaken)
    EXPECT_EQ(messages_of(with_tasks(one.tasks)), one.messages) << one.tasks;
}

TEST(DefinitionMistakes, InTheGraphAreNamed) {
  expect_refused({
      {"", {"tasks: must have at least one task (got [])"}},
      {R"({"id":"a","activity":"t","after":["b"]},{"id":"b","activity":"t","after":["a"]})",
       {"tasks[0].after: is a cycle: a -> b -> a"}},
      {R"({"id":"a","activity":"t","after":["a"]})", {"tasks[0].after: is a cycle: a -> a"}},
      {R"({"id":"s","activity":"t"},{"id":"d","activity":"t","after":["c"]},{"id":"c","activity":"t","after":["s","b"]},)"
       R"({"id":"b","activity":"t","after":["c"]},{"id":"e","activity":"t","after":["d"]})",
       {"tasks[2].after: is a cycle: c -> b -> c"}},
      {R"({"id":"a","activity":"t","after":["x"]})", {"tasks[0].after[0]: there is no task 'x'"}},
      {R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a","a"]})",
       {"tasks[1].after[1]: 'a' is named twice"}},
      {R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},{"id":"a","activity":"t"})",
       {"tasks[2].id: 'a' is the id of tasks[0] as well"}},
  });
}

TEST(DefinitionMistakes, WithCompensationsAreNamed) {
  expect_refused({
      {R"({"id":"a","activity":"t","compensate":"x"})", {"tasks[0].compensate: there is no task 'x'"}},
      {R"({"id":"a","activity":"t","compensate":"b"},{"id":"b","activity":"t"})",
       {"tasks[0].compensate: 'b' is of type activity, not a compensation"}},
      {R"({"id":"a","activity":"t","compensate":"a"})",
       {"tasks[0].compensate: 'a' is of type activity, not a compensation"}},
      {R"({"id":"a","activity":"t","compensate":"u"},{"id":"u","type":"compensation","activity":"t"},)"
       R"({"id":"b","activity":"t","after":["u"]})",
       {"tasks[2].after[0]: 'u' is a compensation: no task can come after it"}},
      {R"({"id":"a","activity":"t","compensate":"u"},{"id":"b","activity":"t","compensate":"u"},)"
       R"({"id":"u","type":"compensation","activity":"t"})",
       {"tasks[1].compensate: 'u' compensates 'a' already: each task needs its own"}},
      {R"({"id":"a","activity":"t"},{"id":"u","type":"compensation","activity":"t"})",
       {R"(tasks[1].type: no task is compensated by 'u' (got "compensation"))"}},
      {R"({"id":"a","activity":"t","compensate":"u"},{"id":"u","type":"compensation","activity":"t","after":["a"],)"
       R"("compensate":"u","input":1,"when":true,"for_each":[],"on_error":"fail"})",
       {R"(tasks[1].after: does not belong to a task of type compensation (got ["a"]))",
        R"(tasks[1].compensate: does not belong to a task of type compensation (got "u"))",
        "tasks[1].input: does not belong to a task of type compensation (got 1)",
        "tasks[1].for_each: does not belong to a task of type compensation (got [])",
        "tasks[1].when: does not belong to a task of type compensation (got true)",
        R"(tasks[1].on_error: does not belong to a task of type compensation (got "fail"))",
        "tasks[1].compensate: 'u' compensates 'a' already: each task needs its own"}},
  });
}

TEST(DefinitionMistakes, InReferencesAreNamed) {
  expect_refused({
      {R"({"id":"a","activity":"t","input":{"x":[{"$ref":"#/tasks/b/output"}]}})",
       {R"(tasks[0].input.x[0]: there is no task 'b' (got {"$ref":"#/tasks/b/output"}))"}},
      {R"({"id":"a","activity":"t"},{"id":"b","activity":"t","input":{"$ref":"#/tasks/a/output"}})",
       {R"(tasks[1].input: 'a' may not have ended yet: add it, or one of its successors, to `after` (got {"$ref":"#/tasks/a/output"}))"}},
      {R"({"id":"a","activity":"t","input":{"$ref":"#/tasks/a/output"}})",
       {R"(tasks[0].input: 'a' may not have ended yet: add it, or one of its successors, to `after` (got {"$ref":"#/tasks/a/output"}))"}},
      {R"({"id":"a","activity":"t","when":{"$ref":"#/tasks/b/output"}},{"id":"b","activity":"t","after":["a"]})",
       {R"(tasks[0].when: 'b' may not have ended yet: add it, or one of its successors, to `after` (got {"$ref":"#/tasks/b/output"}))"}},
      {R"({"id":"a","activity":"t","compensate":"u"},{"id":"u","type":"compensation","activity":"t"},)"
       R"({"id":"b","activity":"t","after":["a"],"input":{"$ref":"#/tasks/u/output"}})",
       {R"(tasks[2].input: 'u' is a compensation: its output cannot be referenced (got {"$ref":"#/tasks/u/output"}))"}},
      {R"({"id":"a","activity":"t","input":{"$ref":"#/item"}})",
       {R"(tasks[0].input: #/item and #/index exist only in the input of a task with for_each (got {"$ref":"#/item"}))"}},
      {R"({"id":"a","activity":"t","for_each":{"$ref":"#/item"},"when":{"$ref":"#/index"}})",
       {R"(tasks[0].for_each: #/item and #/index exist only in the input of a task with for_each (got {"$ref":"#/item"}))",
        R"(tasks[0].when: #/item and #/index exist only in the input of a task with for_each (got {"$ref":"#/index"}))"}},
      {R"({"id":"a","activity":"t","input":{"$ref":"#/inputs"}})",
       {R"(tasks[0].input.$ref: must begin with #/input, #/tasks/ID/output, #/tasks/ID/errors, #/item or #/index (got "#/inputs"))"}},
      {R"({"id":"a","activity":"t","for_each":3})",
       {R"(tasks[0].for_each: must be an array or a {"$ref": …} (got 3))"}},
      {R"({"id":"a","activity":"t","when":{"$is":1}})",
       {"tasks[0].when.$is: is not an operator: $eq $ne $lt $le $gt $ge $in $exists $and $or $not (got 1)"}},
  });
  EXPECT_EQ(
      messages_of(R"({"name":"x","output":{"a":{"$ref":"#/tasks/z/output"},"b":{"$ref":"#/item"}},)"
                  R"("tasks":[{"id":"a","activity":"t"}]})"),
      (std::vector<std::string>{
          R"(output.b: #/item and #/index exist only in the input of a task with for_each (got {"$ref":"#/item"}))",
          R"(output.a: there is no task 'z' (got {"$ref":"#/tasks/z/output"}))"}));
}

TEST(DefinitionMistakes, AreNotReportedForValidReferences) {
  for (
      const char* tasks :
      {R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]},{"id":"c","activity":"t","after":["b"],"input":{"$ref":"#/tasks/a/output/x"}})",
       R"({"id":"a","activity":"t","for_each":[1],"input":[{"$ref":"#/item"},{"$ref":"#/index"},{"$ref":"#/input"}]})",
       R"({"id":"a/b","activity":"t"},{"id":"b","type":"sleep","duration":"0s","after":["a/b"],"when":{"$exists":{"$ref":"#/tasks/a~1b/output"}}})"}) {
    EXPECT_EQ(messages_of(with_tasks(tasks)), std::vector<std::string>{"nothing was refused"}) << tasks;
  }
}

TEST(DefinitionMistakes, InFieldsAreNamed) {
  expect_refused({
      {R"({"activity":"t"})", {"tasks[0].id: is required"}},
      {R"({"id":"","activity":"t"})", {R"(tasks[0].id: must not be empty (got ""))"}},
      {R"({"id":7,"activity":"t"})", {"tasks[0].id: must be a string, not a number (got 7)"}},
      {R"({"id":"a"})", {"tasks[0].activity: is required for a task of type activity"}},
      {R"({"id":"a","type":"signal"})", {"tasks[0].signal: is required for a task of type signal"}},
      {R"({"id":"a","type":"workflow"})", {"tasks[0].workflow: is required for a task of type workflow"}},
      {R"({"id":"a","type":"sleep"})", {"tasks[0].duration: is required for a task of type sleep"}},
      {R"({"id":"a","type":"sleep","duration":"10 s"})",
       {R"(tasks[0].duration: must be a duration such as "1500ms", "30s" or "7d" (got "10 s"))"}},
      {R"({"id":"a","type":"loop","activity":"t"})",
       {R"(tasks[0].type: must be activity, compensation, sleep, signal or workflow (got "loop"))"}},
      {R"({"id":"a","activity":"t","duration":"1s"})",
       {R"(tasks[0].duration: does not belong to a task of type activity (got "1s"))"}},
      {R"({"id":"a","type":"sleep","duration":"1s","retry":{},"timeout":"1s","activity":"t"})",
       {R"(tasks[0].activity: does not belong to a task of type sleep (got "t"))",
        "tasks[0].retry: does not belong to a task of type sleep (got {})",
        R"(tasks[0].timeout: does not belong to a task of type sleep (got "1s"))"}},
      {R"({"id":"a","activity":"t","retry":{"backof":2}})",
       {"tasks[0].retry.backof: is not a known field (got 2)"}},
      {R"({"id":"a","activity":"t","retry":{"max_attempts":0}})",
       {"tasks[0].retry.max_attempts: is 0: use a positive number, or a negative one for no limit (got 0)"}},
      {R"({"id":"a","activity":"t","retry":{"max_attempts":3,"max_retries":2}})",
       {"tasks[0].retry.max_retries: cannot be given together with max_attempts (got 2)"}},
      {R"({"id":"a","activity":"t","dependsOn":[]})", {"tasks[0].dependsOn: is not a known field (got [])"}},
      {R"({"id":"a","activity":"t","after":"b"})",
       {R"(tasks[0].after: must be an array, not a string (got "b"))"}},
      {R"({"id":"a","activity":"t","on_error":"ignore"})",
       {R"(tasks[0].on_error: must be fail or continue (got "ignore"))"}},
      {R"({"id":"a","activity":"t","priority":9999999999})",
       {"tasks[0].priority: must be from -2147483648 to 2147483647 (got 9999999999)"}},
      {R"({"id":"a","activity":"t","timeout":"0s"})",
       {"tasks[0].timeout: must be from 1ms to 36500d, not 0s"}},
      {R"({"id":"a","id":"b","activity":"t"})", {R"(tasks[0].id: is given twice (got "b"))"}},
      {R"({"id":"a","activity":"t","input":{"k":1,"k":2}})", {"tasks[0].input.k: is given twice (got 2)"}},
  });
}

TEST(DefinitionMistakes, AtTheTopLevelAreNamed) {
  EXPECT_EQ(messages_of("[]"), std::vector<std::string>{"must be an object, not an array"});
  EXPECT_EQ(messages_of("null"), std::vector<std::string>{"must be an object, not null"});
  EXPECT_EQ(messages_of("{}"), (std::vector<std::string>{"name: is required", "tasks: is required"}));
  EXPECT_EQ(messages_of(R"({"name":"x","tasks":{}})"),
            (std::vector<std::string>{"tasks: must be an array, not an object (got {})",
                                      "tasks: must have at least one task (got {})"}));
  EXPECT_EQ(
      messages_of(
          R"({"name":"x","on_failure":"explode","dead_line":"1h","tasks":[{"id":"a","activity":"t"}]})"),
      (std::vector<std::string>{R"(on_failure: must be fail or compensate (got "explode"))",
                                R"(dead_line: is not a known field (got "1h"))"}));
  EXPECT_EQ(messages_of("{\"name\":\"x\",\n\"tasks\":[,]}"),
            std::vector<std::string>{"a value was expected"});
}

TEST(DefinitionMistakes, AreAllReportedInOneResponseWithTheirLines) {
  const auto parsed = parse_definition(R"({
  "name": "x",
  "retries": 3,
  "tasks": [
    {"id": "a", "activity": "t"},
    {"id": "b",
     "activity": "t",
     "retry": {
       "backoff": "2"
     },
     "after": ["a",
               "nobody"]}
  ]
})");
  ASSERT_FALSE(parsed);
  const Problem& problem = parsed.problem();
  EXPECT_EQ(problem.code, ProblemCode::invalid_argument);
  EXPECT_EQ(problem.detail,
            R"(line 9: tasks[1].retry.backoff: must be a number, not a string (got "2") (and 2 more))");
  ASSERT_EQ(problem.errors.size(), 3U);
  EXPECT_EQ(problem.errors[1],
            (FieldError{.field = "retries", .message = "is not a known field (got 3)", .line = 3}));
  EXPECT_EQ(problem.errors[2],
            (FieldError{.field = "tasks[1].after[1]", .message = "there is no task 'nobody'", .line = 12}));
}

TEST(DefinitionMistakes, InJsonAreNamedWithTheirLine) {
  EXPECT_EQ(parse_definition("{\n\"name\": \"x\",\n\"tasks\": [}\n").problem().detail,
            "line 3: a value was expected");
}

TEST(DefinitionMistakes, AbbreviateALongCycle) {
  std::string tasks;
  for (int i = 0; i < 10'000; ++i)
    tasks += fmt::format(R"({}{{"id":"t{}","activity":"a","after":["t{}"]}})", i == 0 ? "" : ",", i,
                         (i + 9'999) % 10'000);
  EXPECT_EQ(messages_of(with_tasks(tasks)),
            std::vector<std::string>{
                "tasks[0].after: is a cycle: t0 -> t1 -> t2 -> t3 -> t4 -> t5 -> t6 -> t7 -> t8 -> "
                "t9 -> t10 -> … 9988 more … -> t9999 -> t0"});
}

std::string mutated_definition(std::string text, testing::SeededRandom& random) {
  static const std::vector<std::string> parts{"{",
                                              "}",
                                              "[",
                                              "]",
                                              "\"",
                                              ",",
                                              ":",
                                              "null",
                                              "-1",
                                              "1e999",
                                              "\"$ref\"",
                                              "\"$eq\"",
                                              "\"a\"",
                                              "\\u0000",
                                              "\xff",
                                              "\n",
                                              "\"#/item\"",
                                              "\"after\"",
                                              "\"id\"",
                                              "true",
                                              "[[[[",
                                              "{\"a\":",
                                              "\"#/tasks/notify/output\"",
                                              "~"};
  const auto changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const auto at = static_cast<std::size_t>(random.below(text.size() + 1));
    const auto size = static_cast<std::size_t>(random.below(12));
    switch (random.below(3)) {
      case 0: text.insert(at, parts[random.below(parts.size())]); break;
      case 1: text.erase(at, size); break;
      default: {
        const auto from = static_cast<std::size_t>(random.below(text.size() + 1));
        text.insert(at, text.substr(from, size * 4));
        break;
      }
    }
  }
  return text;
}

// Replaces up to three words of the definition by others. The text stays valid JSON, so it passes the
// scanner.
std::string exchanged(std::string text, testing::SeededRandom& random) {
  static const std::vector<std::string> words{"reserve_inventory",
                                              "process_payment",
                                              "approval",
                                              "ship_order",
                                              "notify",
                                              "release_inventory",
                                              "compensation",
                                              "activity",
                                              "signal",
                                              "sleep",
                                              "workflow",
                                              "#/input/total",
                                              "#/item",
                                              "after",
                                              "when",
                                              "for_each",
                                              "$eq",
                                              "$ref",
                                              "$not",
                                              "1h",
                                              "compensate",
                                              "duration",
                                              "max_attempts"};
  const auto changes = 1 + random.below(3);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::string& old = words[random.below(words.size())];
    const std::size_t at = text.find(old, static_cast<std::size_t>(random.below(text.size())));
    if (at != std::string::npos) text.replace(at, old.size(), words[random.below(words.size())]);
  }
  return text;
}

TEST(DefinitionMistakes, MadeAtRandomAreRejectedOrHarmless) {
  testing::SeededRandom random{20260205};
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string original{testing::kOrderFulfilment};
    const std::string text =
        random.chance(0.5) ? mutated_definition(original, random) : exchanged(original, random);
    const auto parsed = parse_definition(text);
    if (!parsed) {
      EXPECT_FALSE(parsed.problem().errors.empty()) << text;
      continue;
    }
    ++accepted;
    const auto again = parse_definition(definition_text(*parsed));
    ASSERT_TRUE(again) << text << again.problem().detail;
    EXPECT_EQ(*again, *parsed) << text;
  }
  EXPECT_GT(accepted, 100) << "some changes must be harmless, or nothing was seen";
  EXPECT_LT(accepted, 19'000);
}

}  // namespace
}  // namespace pawl::core
