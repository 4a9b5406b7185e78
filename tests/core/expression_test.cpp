// References and templates: a pointer resolves to its value, and all other text stays unchanged byte for
// byte.
#include "core/definition/expression.hpp"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/limits.hpp"

namespace pawl::core {
namespace {

// A run with given input and outputs.
struct Known {
  std::map<std::string, std::string> roots;

  [[nodiscard]] Lookup lookup() const {
    return [this](const Reference& reference) -> std::optional<std::string_view> {
      const Reference root{.root = reference.root, .task = reference.task};
      const auto found = roots.find(to_string(root));
      if (found == roots.end()) return std::nullopt;
      return found->second;
    };
  }
};

const Known kRun{
    {{"#/input",
      R"({"total":12345678901234567890,"a/b":{"m~n":1},"list":[10,[20,30]],"":7,"n":null,"x":1,"x":2})"},
     {"#/tasks/reserve/output", R"({"id": "r-1", "é": true})"},
     {"#/tasks/a\nb/output", R"("odd")"},
     {"#/tasks/we~1ird~0/output", "3"},
     {"#/item", R"({"sku":"s"})"},
     {"#/index", "4"}}};

Evaluated<RawJson> rendered(const std::string& text) { return render(RawJson{text}, kRun.lookup()); }

struct ExpressionCase {
  std::string text;
  std::string expected;
};

TEST(Reference, ResolvesToAValue) {
  for (const auto& [text, expected] :
       std::vector<ExpressionCase>{{"#/input/total", "12345678901234567890"},
                                   {"#/input/a~1b/m~0n", "1"},
                                   {"#/input/list/0", "10"},
                                   {"#/input/list/1/1", "30"},
                                   {"#/input/", "7"},
                                   {"#/input/n", "null"},
                                   {"#/input/x", "2"},
                                   {"#/tasks/reserve/output", kRun.roots.at("#/tasks/reserve/output")},
                                   {"#/tasks/reserve/output/é", "true"},
                                   {"#/tasks/we~1ird~0/output", "3"},
                                   {"#/item/sku", "\"s\""},
                                   {"#/index", "4"}}) {
    const auto value = rendered(fmt::format(R"({{"$ref":{}}})", json_quote(text)));
    ASSERT_TRUE(value) << text << ": " << value.problem().message;
    EXPECT_EQ(value->text, expected) << text;
  }
}

TEST(Reference, ToAMissingValueFailsWithoutRetry) {
  for (const std::string text :
       {"#/input/no", "#/input/list/2", "#/input/list/01", "#/input/list/-", "#/input/list/-1",
        "#/input/list/1e0", "#/input/list/", "#/input/list/99999999999999999999999", "#/input/total/0",
        "#/input/n/x", "#/tasks/unknown/output", "#/tasks/reserve/output/ID"}) {
    const auto value = rendered(fmt::format(R"({{"$ref":{}}})", json_quote(text)));
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.problem().code, "invalid_reference") << text;
    EXPECT_EQ(value.problem().message, text + " does not exist");
    EXPECT_FALSE(value.problem().retryable);
  }
}

TEST(Reference, IsParsedStrictly) {
  for (const char* text : {"", "#", "#/", "/input", "input", "#input", "#/inputs", "#/Input", "#/tasks",
                           "#/tasks/a", "#/tasks/a/", "#/tasks/a/input", "#/tasks//x", "#/index/0",
                           "#/input/~", "#/input/~2", "#/run", "http://x/#/input"}) {
    EXPECT_FALSE(parse_reference(text)) << text;
  }
  const auto parsed = parse_reference("#/tasks/a~1b/output/x~0y/0/");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (Reference{.root = Reference::Root::output, .task = "a/b", .path = {"x~y", "0", ""}}));
  EXPECT_EQ(to_string(*parsed), "#/tasks/a~1b/output/x~0y/0/");
}

TEST(Template, ReplacesReferencesAndKeepsOtherBytes) {
  for (const auto& [text, expected] : std::vector<ExpressionCase>{
           {R"({"amount":{"$ref":"#/input/total"},"n":1.50,"b":"\u0041"})",
            R"({"amount":12345678901234567890,"n":1.50,"b":"\u0041"})"},
           {R"([ {"$ref":"#/index"} ,  2 ])", "[ 4 ,  2 ]"},
           {R"( {"a" : [ {"b" : { "$ref" : "#/item/sku" } } ] } )", R"({"a" : [ {"b" : "s" } ] })"},
           {R"({"\u0024ref":"#/index"})", "4"},
           {R"("$ref")", R"("$ref")"},
           {R"({"text":"say \"$ref\": {}"})", R"({"text":"say \"$ref\": {}"})"},
           {R"({"$schema":"x","a":{"$ref":"#/index"}})", R"({"$schema":"x","a":4})"},
           {"[]", "[]"},
           {"{}", "{}"},
           {"-0.0", "-0.0"}}) {
    const auto value = rendered(text);
    ASSERT_TRUE(value) << text << ": " << value.problem().message;
    EXPECT_EQ(value->text, expected);
  }
}

TEST(Template, CannotRenderMoreThanAPayload) {
  Known run;
  run.roots["#/input"] = "\"" + std::string(kPayloadBytesMax / 2, 'x') + "\"";
  const std::string ref = R"({"$ref":"#/input"})";
  EXPECT_TRUE(render(RawJson{"[" + ref + "]"}, run.lookup()));
  const auto large = render(RawJson{"[" + ref + "," + ref + "]"}, run.lookup());
  ASSERT_FALSE(large);
  EXPECT_EQ(large.problem().code, "payload_too_large");
}

TEST(Template, HasALimitOfBytesToRead) {
  Known run;
  run.roots["#/input"] = R"({"pad":")" + std::string(kPayloadBytesMax - 100, 'x') + R"(","x":1})";
  std::string text = "[";
  for (int i = 0; i < 20; ++i) text += R"({"$ref":"#/input/x"},)";
  const auto value = render(RawJson{text + "0]"}, run.lookup());
  ASSERT_FALSE(value);
  EXPECT_EQ(value.problem().code, "invalid_value");
}

TEST(Template, CannotRenderDeeperThanAPayload) {
  Known run;
  run.roots["#/input"] = std::string(63, '[') + std::string(63, ']');
  EXPECT_TRUE(render(RawJson{R"([{"$ref":"#/input"}])"}, run.lookup()));
  const auto deep = render(RawJson{R"([[{"$ref":"#/input"}]])"}, run.lookup());
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.problem().code, "invalid_value");
}

TEST(ForEach, RendersEachElement) {
  const auto items = render_elements(RawJson{R"({"$ref":"#/input/list"})"}, kRun.lookup());
  ASSERT_TRUE(items);
  EXPECT_EQ(*items, (std::vector<RawJson>{{"10"}, {"[20,30]"}}));
  EXPECT_EQ(*render_elements(RawJson{"[]"}, kRun.lookup()), std::vector<RawJson>{});
  EXPECT_EQ(*render_elements(RawJson{R"([1,{"$ref":"#/index"}])"}, kRun.lookup()),
            (std::vector<RawJson>{{"1"}, {"4"}}));
}

TEST(ForEach, NeedsAnArrayOfALimitedSize) {
  const auto none = render_elements(RawJson{R"({"$ref":"#/input/total"})"}, kRun.lookup());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.problem().code, "invalid_value");
  EXPECT_EQ(none.problem().message, "for_each needs an array, not a number");
  const auto of = [](std::size_t count) {
    std::string list = "[1";
    for (std::size_t i = 1; i < count; ++i) list += ",1";
    return RawJson{list + "]"};
  };
  EXPECT_TRUE(render_elements(of(kFanOutMax), kRun.lookup()));
  EXPECT_FALSE(render_elements(of(kFanOutMax + 1), kRun.lookup()));
}

TEST(Template, ReportsThePathOfEachMistake) {
  Mistakes mistakes;
  std::vector<PlacedReference> references;
  check_template(
      R"({"a":[{"$ref":"#/input/x"},{"$ref":7}],"b":{"$ref":"#/item","c":1},"d":{"$ref":"nowhere"},"e":1,"e":2})",
      "input", mistakes, references);
  ASSERT_TRUE(mistakes.any());
  std::vector<std::string> fields;
  for (const FieldError& error : mistakes.problem().errors) fields.push_back(error.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"input.a[1].$ref", "input.b.$ref", "input.d.$ref", "input.e"}));
  ASSERT_EQ(references.size(), 1U);
  EXPECT_EQ(references[0].field, "input.a[0]");
}

}  // namespace
}  // namespace pawl::core
