// Every operator of a task's `when`, the errors, and the bound on its cost.
#include "core/definition/condition.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pawl::core {
namespace {

constexpr std::string_view kInput =
    R"({"ok":true,"no":false,"n":9007199254740993,"f":1.0,"s":"b","e":"\u0062","list":[1,"b",null,{"k":[1]}],"o":{"x":1,"y":[2]},"nil":null})";

std::optional<std::string_view> find_input(const Reference& reference) {
  return reference.root == Reference::Root::input ? std::optional{kInput} : std::nullopt;
}

Evaluated<bool> evaluated(const std::string& condition) { return holds(RawJson{condition}, find_input); }

std::string ref(const std::string& name) { return fmt::format(R"({{"$ref":"#/input/{}"}})", name); }

struct ConditionCase {
  std::string condition;
  bool expected;
};

TEST(Condition, EvaluatesToTrueOrFalse) {
  const std::vector<ConditionCase> cases{
      {"true", true},
      {"false", false},
      {ref("ok"), true},
      {ref("no"), false},
      {"{\"$eq\":[1,1.0]}", true},
      {"{\"$eq\":[1,\"1\"]}", false},
      {"{\"$eq\":[" + ref("n") + ",9007199254740993]}", true},
      {"{\"$eq\":[" + ref("n") + ",9007199254740992]}", false},
      {"{\"$eq\":[" + ref("s") + "," + ref("e") + "]}", true},
      {"{\"$eq\":[" + ref("o") + R"(,{"y":[2.0],"x":1}]})", true},
      {"{\"$eq\":[" + ref("o") + R"(,{"y":[2],"x":1,"z":0}]})", false},
      {R"({"$eq":[[1,2],[2,1]]})", false},
      {"{\"$eq\":[" + ref("nil") + ",null]}", true},
      {"{\"$eq\":[null,false]}", false},
      {"{\"$ne\":[" + ref("s") + ",\"c\"]}", true},
      {"{\"$ne\":[1,1]}", false},
      {"{\"$lt\":[9007199254740992," + ref("n") + "]}", true},
      {"{\"$lt\":[1,1.0]}", false},
      {"{\"$le\":[1,1.0]}", true},
      {"{\"$gt\":[1e400,1e399]}", true},
      {"{\"$ge\":[-1,-2]}", true},
      {"{\"$lt\":[\"a\"," + ref("s") + "]}", true},
      {R"({"$lt":["Z","a"]})", true},
      {R"({"$gt":["é","z"]})", true},
      {R"({"$lt":["a","aa"]})", true},
      {"{\"$in\":[1.0," + ref("list") + "]}", true},
      {"{\"$in\":[" + ref("e") + "," + ref("list") + "]}", true},
      {R"({"$in":[{"k":[1]},)" + ref("list") + "]}", true},
      {"{\"$in\":[2," + ref("list") + "]}", false},
      {"{\"$in\":[\"b\",[\"a\"," + ref("s") + "]]}", true},
      {"{\"$in\":[1,[]]}", false},
      {"{\"$exists\":" + ref("nil") + "}", true},
      {"{\"$exists\":[" + ref("none") + "]}", false},
      {R"({"$exists":{"$ref":"#/tasks/skipped/output"}})", false},
      {"{\"$and\":[true," + ref("ok") + "]}", true},
      {"{\"$and\":[false," + ref("none") + "]}", false},
      {"{\"$or\":[true," + ref("none") + "]}", true},
      {"{\"$or\":[false,false]}", false},
      {"{\"$not\":" + ref("no") + "}", true},
      {"{\"$not\":[true]}", false},
      {R"({"$not":{"$and":[{"$eq":[1,1]},{"$or":[false,{"$lt":[2,1]}]}]}})", true},
      {R"({"$eq":[{"$gt":[2,1]},true]})", true},
      {" { \"$eq\" : [ 1 , 1 ] } ", true},
  };
  for (const ConditionCase& one : cases) {
    const auto truth = evaluated(one.condition);
    ASSERT_TRUE(truth) << one.condition << ": " << truth.problem().message;
    EXPECT_EQ(*truth, one.expected) << one.condition;
  }
}

struct Failure {
  std::string condition;
  const char* code;
  const char* message;
};

TEST(Condition, FailsWithoutRetryIfItCannotBeEvaluated) {
  const std::vector<Failure> failures{
      {ref("none"), "invalid_reference", "#/input/none does not exist"},
      {"{\"$eq\":[" + ref("none") + ",1]}", "invalid_reference", "#/input/none does not exist"},
      {"{\"$and\":[true," + ref("none") + "]}", "invalid_reference", "#/input/none does not exist"},
      {"{\"$not\":" + ref("none") + "}", "invalid_reference", "#/input/none does not exist"},
      {ref("n"), "invalid_value", "a condition must be a boolean, not a number"},
      {"{\"$or\":[" + ref("s") + "]}", "invalid_value", "a condition must be a boolean, not a string"},
      {R"({"$lt":[1,"1"]})", "invalid_value", "a number and a string have no order"},
      {"{\"$ge\":[null,null]}", "invalid_value", "null and null have no order"},
      {"{\"$lt\":[[1],[2]]}", "invalid_value", "an array and an array have no order"},
      {"{\"$in\":[1," + ref("s") + "]}", "invalid_value", "$in needs an array, not a string"},
  };
  for (const Failure& one : failures) {
    const auto truth = evaluated(one.condition);
    ASSERT_FALSE(truth) << one.condition;
    EXPECT_EQ(truth.problem().code, one.code) << one.condition;
    EXPECT_EQ(truth.problem().message, one.message) << one.condition;
    EXPECT_FALSE(truth.problem().retryable);
  }
}

struct Mistaken {
  const char* condition;
  const char* field;
};

TEST(Condition, IsValidatedBeforeItIsStored) {
  const std::vector<Mistaken> conditions{
      {"1", "when"},
      {"\"true\"", "when"},
      {"null", "when"},
      {"[]", "when"},
      {"{}", "when"},
      {R"({"a":1})", "when"},
      {R"({"$equals":[1,1]})", "when.$equals"},
      {R"({"$eq":[1]})", "when.$eq"},
      {R"({"$eq":[1,2,3]})", "when.$eq"},
      {R"({"$eq":1})", "when.$eq"},
      {R"({"$eq":[1,1],"$ne":[1,2]})", "when.$eq"},
      {R"({"$eq":[{"$call":"rm"},1]})", "when.$eq[0].$call"},
      {R"({"$and":[]})", "when.$and"},
      {R"({"$and":true})", "when.$and"},
      {R"({"$and":[true,1]})", "when.$and[1]"},
      {R"({"$not":[true,true]})", "when.$not"},
      {R"({"$not":"x"})", "when.$not"},
      {R"({"$in":[1,2]})", "when.$in[1]"},
      {R"({"$exists":"#/input/x"})", "when.$exists"},
      {R"({"$exists":{"$eq":[1,1]}})", "when.$exists"},
      {R"({"$ref":"#/nowhere"})", "when.$ref"},
      {R"({"$ref":1})", "when.$ref"},
      {R"({"$or":[{"$not":{"$lt":[{"$ref":"input"},1]}}]})", "when.$or[0].$not.$lt[0].$ref"},
  };
  for (const Mistaken& one : conditions) {
    Mistakes mistakes;
    std::vector<PlacedReference> references;
    check_condition(one.condition, "when", mistakes, references);
    ASSERT_TRUE(mistakes.any()) << one.condition;
    EXPECT_EQ(mistakes.problem().errors.front().field, one.field) << one.condition;
    EXPECT_FALSE(evaluated(one.condition)) << "and what was not checked does no harm";
  }
}

TEST(Condition, ListsItsReferences) {
  Mistakes mistakes;
  std::vector<PlacedReference> references;
  check_condition(R"({"$and":[{"$exists":{"$ref":"#/tasks/a/output"}},{"$in":[1,[{"$ref":"#/input/x"}]]}]})",
                  "when", mistakes, references);
  EXPECT_FALSE(mistakes.any());
  ASSERT_EQ(references.size(), 2U);
  EXPECT_EQ(references[0].field, "when.$and[0].$exists");
  EXPECT_EQ(references[1].field, "when.$and[1].$in[1][0]");
}

// Evaluation stops when a condition reads much more than its own size.
TEST(Condition, HasALimitOfBytesToRead) {
  const std::string large = R"({"x":")" + std::string(1U << 20U, 'x') + R"("})";
  std::string text = R"({"$and":[true)";
  for (int i = 0; i < 40; ++i) text += R"(,{"$ne":[{"$ref":"#/input/x"},1]})";
  const auto truth =
      holds(RawJson{text + "]}"}, [&](const Reference&) { return std::optional<std::string_view>{large}; });
  ASSERT_FALSE(truth);
  EXPECT_EQ(truth.problem().code, "invalid_value");
}

}  // namespace
}  // namespace pawl::core
