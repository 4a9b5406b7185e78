// docs/reference/definitions.md: its examples parse, and its mistakes get the messages shown.
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/definition/definition.hpp"
#include "tests/places/places.hpp"
#include "wire/yaml.hpp"

namespace pawl::wire {
namespace {

struct Example {
  int line = 0;
  std::string yaml;
  std::string messages;  // of the text block right after it; empty for a valid example
};

std::vector<Example> examples_of(const std::string& path) {
  std::ifstream in{path};
  std::vector<Example> examples;
  std::string block;  // the kind of the current block
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("```")) {
      block = block.empty() ? line.substr(3) : "";
      if (block == "yaml") examples.push_back({.line = number, .yaml = "", .messages = ""});
    } else if (block == "yaml") {
      examples.back().yaml += line + "\n";
    } else if (block == "text") {
      examples.back().messages += line + "\n";
    }
  }
  return examples;
}

std::string messages_of(const core::Problem& problem) {
  std::string messages;
  for (const core::FieldError& error : problem.errors)
    messages += fmt::format("line {}: {}{}\n", error.line, error.field.empty() ? "" : error.field + ": ",
                            error.message);
  return messages;
}

std::string messages_for(const std::string& yaml) {
  const auto json = json_from_yaml(yaml);
  if (!json) return messages_of(json.problem());
  const auto parsed = core::parse_definition(*json);
  return parsed ? "" : messages_of(parsed.problem());
}

TEST(DefinitionsDoc, ShowsTheActualErrorMessages) {
  const auto examples = examples_of(testing::source_dir() + "/docs/reference/definitions.md");
  ASSERT_GT(examples.size(), 8U);
  for (const Example& example : examples)
    EXPECT_EQ(messages_for(example.yaml), example.messages)
        << "docs/reference/definitions.md:" << example.line;
}

}  // namespace
}  // namespace pawl::wire
