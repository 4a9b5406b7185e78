// YAML as JSON: types by the core schema, the same line numbers, and refusal of ambiguous texts.
#include "wire/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/limits.hpp"
#include "core/base/source_line.hpp"
#include "core/definition/definition.hpp"
#include "core/json/json_value.hpp"
#include "tests/core/definitions.hpp"
#include "tests/support/env.hpp"

namespace pawl::wire {
namespace {

std::string json_of(std::string_view yaml) {
  const auto json = json_from_yaml(yaml);
  if (!json) return json.problem().detail;
  EXPECT_EQ(core::json_error(*json), std::nullopt) << yaml;
  return core::compacted(*json);
}

struct Case {
  const char* yaml;
  const char* json;
};

TEST(Yaml, HasTheTypesOfTheCoreSchema) {
  const std::vector<Case> cases{
      {"true", "true"},
      {"True", "true"},
      {"FALSE", "false"},
      {"tRUE", "\"tRUE\""},
      {"yes", "\"yes\""},
      {"no", "\"no\""},
      {"NO", "\"NO\""},
      {"on", "\"on\""},
      {"off", "\"off\""},
      {"y", "\"y\""},
      {"n", "\"n\""},
      {"null", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"", "null"},
      {"nil", "\"nil\""},
      {"0", "0"},
      {"-0", "-0"},
      {"12", "12"},
      {"+12", "12"},
      {"-7", "-7"},
      {"007", "7"},
      {"0o17", "15"},
      {"017", "17"},
      {"0xfF", "255"},
      {"0xfg", "\"0xfg\""},
      {"0o8", "\"0o8\""},
      {"1_000", "\"1_000\""},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"1.", "1.0"},
      {"1e3", "1e3"},
      {"1.5E-3", "1.5e-3"},
      {"+1.e+3", "1.0e+3"},
      {".", "\".\""},
      {"1e", "\"1e\""},
      {"1.2.3", "\"1.2.3\""},
      {"12:30", "\"12:30\""},
      {"12:30:45", "\"12:30:45\""},
      {"0b1", "\"0b1\""},
      {"2026-01-29", "\"2026-01-29\""},
      {"-", "[null]"},
      {"+", "\"+\""},
      {"9223372036854775808", "9223372036854775808"},
      {"'no'", "\"no\""},
      {"\"1\"", "\"1\""},
      {"'~'", "\"~\""},
      {"!!str 12", "\"12\""},
      {"30s", "\"30s\""},
      {"a b", "\"a b\""},
      {"\"a\\tb\"", "\"a\\u0009b\""},
      {"'it''s'", "\"it's\""},
      {"\"\\u00e9\"", "\"é\""},
      {"|\n  one\n  two\n", "\"one\\u000atwo\\u000a\""},
      {">-\n  one\n  two\n", "\"one two\""},
      {"[1, two, {three: 3}, []]", R"([1,"two",{"three":3},[]])"},
      {"a: 1\nb:\n  - x\n  - y: z\nc: {}\n", R"({"a":1,"b":["x",{"y":"z"}],"c":{}})"},
      {"{1: a, true: b, null: c}", "line 1: a key must be a plain name"},
      {"{1: a, true: b}", R"({"1":"a","true":"b"})"},
      {"{\"$ref\": \"#/input\"}", R"({"$ref":"#/input"})"},
      {"# only a comment", "null"},
  };
  for (const Case& one : cases) EXPECT_EQ(json_of(one.yaml), one.json) << one.yaml;
}

TEST(Yaml, RejectsUnsupportedOrAmbiguousInputWithTheLine) {
  const std::vector<Case> cases{
      {"a: 1\nb: 2\na: 3", "line 3: the key 'a' is given twice"},
      {"a: 1\n\"a\": 3", "line 2: the key 'a' is given twice"},
      {"a: !!binary aGk=", "line 1: the tag tag:yaml.org,2002:binary is not supported"},
      {"a: 1\nb: !env HOME", "line 2: the tag !env is not supported"},
      {"a: !!set {x}", "line 1: the tag tag:yaml.org,2002:set is not supported"},
      {"a: .inf", "line 1: JSON has no .inf: put it in quotes"},
      {"a: .NaN", "line 1: JSON has no .NaN: put it in quotes"},
      {"a: 0xfffffffffffffffff", "line 1: 0xfffffffffffffffff does not fit in 64 bits"},
      {"? [a, b]\n: c", "line 1: a key must be a plain name"},
      {"a: 1\n---\nb: 2", "line 2: only one document can be in it"},
      {"a: *x", "line 1: the referenced anchor is not defined"},
      {"a: &x [1, *x]", "line 1: the alias refers to a node that contains it"},
      {"x: &k a\n*k : 1", "line 2: a key must be a plain name"},
      {"a: [1, 2", "line 1: end of sequence flow not found"},
      {"a: 1\n b: 2", "line 2: illegal map value"},
      {"a: \x01", "line 1: a control character stands in it"},
      {"a: 1\nb: \x04", "line 2: a control character stands in it"},
      {"a: \xff", "line 1: the text is not UTF-8"},
  };
  for (const Case& one : cases) EXPECT_EQ(json_of(one.yaml), one.json) << one.yaml;
}

TEST(Yaml, ReplacesAliases) {
  EXPECT_EQ(json_of("base: &b {x: [1,\n  2]}\none: *b\ntwo:\n  - *b\n  - &s text\n  - *s\n"),
            R"({"base":{"x":[1,2]},"one":{"x":[1,2]},"two":[{"x":[1,2]},"text","text"]})");
  EXPECT_EQ(json_of("a: &x 1\nb: &x 2\nc: *x"), R"({"a":1,"b":2,"c":2})") << "the last of a name counts";
  EXPECT_EQ(json_of("a: &x\nb: *x"), R"({"a":null,"b":null})");
}

TEST(Yaml, RejectsAnAliasBomb) {
  std::string bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 12; ++i)
    bomb += fmt::format(
        "a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  EXPECT_EQ(json_of(bomb), "line 6: with its aliases replaced it has over 4194304 bytes");
}

TEST(Yaml, RejectsTooDeepNestingWithOrWithoutAliases) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(json_of(nested(64)), nested(64));
  EXPECT_EQ(json_of(nested(65)), "line 1: it is nested deeper than 64");
  EXPECT_FALSE(json_from_yaml(std::string(100'000, '[')));
  std::string chain = "- &a0 []\n";
  for (int i = 1; i < 70; ++i) chain += fmt::format("- &a{} [*a{}]\n", i, i - 1);
  EXPECT_EQ(json_of(chain), "line 64: it is nested deeper than 64");
}

TEST(Yaml, RejectsATextThatIsTooLarge) {
  const auto json = json_from_yaml(std::string(core::kDefinitionBytesMax + 1, ' '));
  ASSERT_FALSE(json);
  EXPECT_EQ(json.problem().code, core::ProblemCode::payload_too_large);
}

constexpr std::string_view kOrderYaml = R"(# An order
name: order-fulfillment
deadline: 1h
on_failure: compensate            # or: fail
output: {"$ref": "#/tasks/ship_order/output"}
tasks:
  - {id: reserve_inventory, activity: inventory.reserve, compensate: release_inventory}
  - {id: process_payment, activity: payment.charge, after: [reserve_inventory], compensate: refund_payment,
     input: {amount: {"$ref": "#/input/total"}, reservation: {"$ref": "#/tasks/reserve_inventory/output/id"}},
     retry: {max_attempts: 3}, timeout: 30s}
  - {id: approval, type: signal, signal: approved, after: [process_payment], timeout: 7d}
  - {id: cool_off, type: sleep, duration: 10s, after: [approval]}
  - {id: ship_order, activity: shipping.create, after: [cool_off],
     for_each: {"$ref": "#/input/parcels"}, when: {"$eq": [{"$ref": "#/tasks/approval/output/ok"}, true]}}
  - {id: notify, type: workflow, workflow: notify-customer, after: [ship_order], on_error: continue}
  - {id: release_inventory, type: compensation, activity: inventory.release}
  - {id: refund_payment, type: compensation, activity: payment.refund}
)";

core::Result<core::Definition> definition_from(std::string_view yaml) {
  const auto json = json_from_yaml(yaml);
  if (!json) return json.problem();
  return core::parse_definition(*json);
}

TEST(YamlDefinition, EqualsItsJson) {
  const auto from_yaml = definition_from(kOrderYaml);
  ASSERT_TRUE(from_yaml) << from_yaml.problem().detail;
  const auto from_json = core::parse_definition(testing::kOrderFulfilment);
  ASSERT_TRUE(from_json);
  EXPECT_EQ(*from_yaml, *from_json);
  EXPECT_EQ(core::definition_hash(*from_yaml), core::definition_hash(*from_json));
}

TEST(YamlDefinition, ReportsItsMistakesWithTheirLines) {
  const auto parsed = definition_from(R"(
name: order

tasks:
  - id: a
    activity: t
    retry:
      backoff: fast

  # b waits for nobody
  - id: b
    activity: t
    after:
      - a
      - nobody
    input:
      text: |
        two
        lines
      x: {$ref: '#/tasks/c/output'}
  - {id: c, activity: t,
     durration: 1s}
)");
  ASSERT_FALSE(parsed);
  std::vector<std::string> messages;
  for (const core::FieldError& error : parsed.problem().errors)
    messages.push_back(fmt::format("line {}: {}: {}", error.line, error.field, error.message));
  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "line 8: tasks[0].retry.backoff: must be a number, not a string (got \"fast\")",
                "line 22: tasks[2].durration: is not a known field (got \"1s\")",
                "line 15: tasks[1].after[1]: there is no task 'nobody'",
                "line 20: tasks[1].input.x: 'c' may not have ended yet: add it, or one of its successors, "
                "to `after` (got {\"$ref\":\"#/tasks/c/output\"})",
            }));
}

TEST(YamlDefinition, ReportsMistakesInAliasesAtTheLineOfTheAlias) {
  const auto parsed = definition_from(
      "name: x\ntasks:\n  - {id: a, activity: t, retry: &r {tries: 1}}\n"
      "  - id: b\n    activity: t\n    retry: *r\n");
  ASSERT_FALSE(parsed);
  ASSERT_EQ(parsed.problem().errors.size(), 2U);
  EXPECT_EQ(parsed.problem().errors[0].line, 3);
  EXPECT_EQ(parsed.problem().errors[1].line, 6);
}

TEST(Yaml, MadeAtRandomIsHarmless) {
  static const std::vector<std::string> parts{
      ":",   " ",  "\n",  "- ",  "{", "}", "[",  "]",    "&a ", "*a",   "\"", "'", "|\n", ">", "!",
      "!!x", "? ", "---", "...", "#", "%", "\t", "\\u1", "~",   ".inf", "<<", ",", "@",   "`", "\xc3\xa9"};
  testing::SeededRandom random{20260209};
  for (int i = 0; i < 20'000; ++i) {
    std::string text{kOrderYaml};
    const auto changes = 1 + random.below(4);
    for (std::uint64_t j = 0; j < changes; ++j) {
      const auto at = static_cast<std::size_t>(random.below(text.size() + 1));
      if (random.chance(0.6)) {
        text.insert(at, parts[random.below(parts.size())]);
      } else {
        text.erase(at, static_cast<std::size_t>(random.below(10)));
      }
    }
    const auto json = json_from_yaml(text);
    if (json) {
      ASSERT_EQ(core::json_error(*json), std::nullopt) << text;
    }
  }
}

}  // namespace
}  // namespace pawl::wire
