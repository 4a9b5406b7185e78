#pragma once
// Stored definitions: every version is an immutable record, and one record by name holds the latest version.

#include <optional>
#include <string>

#include "core/definition/definition.hpp"
#include "core/records/record.hpp"

namespace pawl::core {

struct PutDefinition {
  std::string ns = "default";
  std::string name = {};
  std::string text = {};  // JSON; the edge converts YAML to JSON
  Actor by = {};
};
// One version; immutable.
struct DefinitionVersion {
  std::string name = {};
  int version = 0;
  std::string hash = {};
  RawJson text = {};  // as written by `definition_text`
  TimePoint created_at = {};

  bool operator==(const DefinitionVersion&) const = default;
};
struct DefinitionPut {
  bool created = false;  // false: the latest version has the same content
  DefinitionVersion version = {};
};

[[nodiscard]] RecordRef definition_ref(const std::string& ns, const std::string& name);
[[nodiscard]] RecordRef definition_ref(const std::string& ns, const std::string& name, int version);
[[nodiscard]] DefinitionVersion definition_version_from(const Record& record);

// Stores a checked definition as version `next`. `found` holds the latest version and the version `next`.
// Nothing changes if the latest version has the same content or is not the one before `next`. The answer is
// always the latest version.
struct KeepDefinition {
  PutDefinition request = {};
  Definition definition = {};
  int next = 1;
};
[[nodiscard]] Result<RecordDecision> decide_keep(const KeepDefinition& keep, FoundRecords found,
                                                 TimePoint now);
[[nodiscard]] DefinitionVersion definition_version_from(const RawJson& body);

}  // namespace pawl::core
