// The official JSON-Schema-Test-Suite. Pawl supports a subset of the keywords: a schema with another keyword
// is refused, never ignored, and tests/golden/json_schema_refused.txt lists those of draft 4 by name. An
// accepted schema must judge each value as the suite does. PAWL_JSON_SCHEMA_SUITE=.../JSON-Schema-Test-Suite
// also runs drafts 7 and 2020-12 of the repository.
#include "core/json/schema.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/json_value.hpp"
#include "tests/json_suites/suites.hpp"
#include "tests/support/golden.hpp"

namespace pawl::testing {
namespace {

using Json = nlohmann::json;

// Whether the schema uses a keyword that Pawl does not check, according to an independent reader.
bool has_unsupported(const Json& schema) {
  static const std::set<std::string> plain{"type",     "required",   "enum",     "minimum",     "maximum",
                                           "$schema",  "$comment",   "title",    "description", "default",
                                           "examples", "deprecated", "readOnly", "writeOnly",   "format"};
  if (!schema.is_object()) return true;
  for (const auto& [keyword, value] : schema.items()) {
    if (keyword == "items" && has_unsupported(value)) return true;
    if (keyword == "properties" && std::any_of(value.begin(), value.end(), has_unsupported)) return true;
    if (keyword != "items" && keyword != "properties" && !plain.contains(keyword)) return true;
  }
  return false;
}

// Files of the suite that require behavior that Pawl omits intentionally.
bool is_left_out(const std::string& file) {
  // `format` is an annotation; these files require that it is checked.
  if (file.starts_with("optional/format")) return true;
  // Only drafts 3 and 4 distinguish 1.0 from 1. Since draft 6, and in Pawl, 1.0 is an integer.
  return file == "optional/zeroTerminatedFloats.json";
}

struct Tally {
  int right = 0;
  int wrong = 0;
  int schemas = 0;
  std::set<std::string> refused = {};  // by name
};

std::string_view member(std::string_view object, std::string_view key) {
  for (const core::Member& one : core::members_of(object))
    if (one.key == key) return one.value;
  return "";
}

void try_group(const std::string& file, std::string_view group, Tally& tally) {
  const std::string name = file + ": " + core::text_of(member(group, "description"));
  const core::RawJson schema{std::string{member(group, "schema")}};
  ++tally.schemas;
  if (const core::Status valid = core::check_schema("schema", schema); !valid) {
    EXPECT_TRUE(has_unsupported(Json::parse(schema.text))) << name << ": " << valid.problem().detail;
    tally.refused.insert(name);
    return;
  }
  const core::Schema parsed{schema};
  for (const std::string_view test : core::elements_of(member(group, "tests"))) {
    const core::Status fits = parsed.check("value", {std::string{member(test, "data")}});
    const bool is_right = fits.ok() == (member(test, "valid") == "true");
    EXPECT_TRUE(is_right) << name << ": " << core::text_of(member(test, "description"));
    ++(is_right ? tally.right : tally.wrong);
  }
}

Tally try_draft(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{directory})
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Tally tally;
  for (const auto& file : files) {
    const std::string name = std::filesystem::relative(file, directory);
    if (is_left_out(name)) continue;
    const std::string text = text_of_file(file);
    for (const std::string_view group : core::elements_of(text)) try_group(name, group, tally);
  }
  std::cout << directory.filename().string() << ": " << tally.schemas << " schemas, " << tally.refused.size()
            << " refused for what is not checked; " << tally.right << " values judged right, " << tally.wrong
            << " wrong\n";
  return tally;
}

TEST(JsonSchemaSuite, SchemasAreRejectedOrValidateAsDraftFourRequires) {
  const auto directory = package("json-schema-test-suite/tests/draft4");
  ASSERT_TRUE(std::filesystem::exists(directory)) << "run npm ci in tests/json_suites, as ./dev test does";
  const Tally tally = try_draft(directory);
  EXPECT_GT(tally.right, 60);
  std::string names;
  for (const std::string& name : tally.refused) names += name + "\n";
  expect_golden("tests/golden/json_schema_refused.txt", names);
}

TEST(JsonSchemaSuite, SchemasAreRejectedOrValidateAsLaterDraftsRequire) {
  const char* suite = std::getenv("PAWL_JSON_SCHEMA_SUITE");
  if (suite == nullptr) GTEST_SKIP() << "PAWL_JSON_SCHEMA_SUITE names no copy of the suite's repository";
  for (const char* draft : {"draft7", "draft2020-12"}) {
    const Tally tally = try_draft(std::filesystem::path{suite} / "tests" / draft);
    EXPECT_GT(tally.right, 100);
    for (const std::string& name : tally.refused) std::cout << "  refused: " << draft << "/" << name << "\n";
  }
}

}  // namespace
}  // namespace pawl::testing
