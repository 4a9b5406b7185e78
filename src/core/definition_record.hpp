#pragma once
// Definitions as they are kept: every version is a record that never changes, and one record by name holds
// the latest.

#include <optional>
#include <string>

#include "core/definition.hpp"
#include "core/record.hpp"

namespace pawl::core {

struct PutDefinition {
  std::string ns = "default";
  std::string name = {};
  std::string text = {};  // JSON; YAML is made JSON at the edge
  Actor by = {};
};
// One version; immutable.
struct DefinitionVersion {
  std::string name = {};
  int version = 0;
  std::string hash = {};
  RawJson text = {};  // as `definition_text` writes it
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

// A definition that was checked, to be kept as the version `next`. `found` is the latest one and the version
// `next`. Nothing is changed where the latest has the same content, or is not the one before `next`: the
// answer is the latest either way.
struct KeepDefinition {
  PutDefinition request = {};
  Definition definition = {};
  int next = 1;
};
[[nodiscard]] Result<RecordDecision> decide_keep(const KeepDefinition& keep, FoundRecords found,
                                                 TimePoint now);
[[nodiscard]] DefinitionVersion definition_version_from(const RawJson& body);

}  // namespace pawl::core
