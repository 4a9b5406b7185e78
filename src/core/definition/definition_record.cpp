#include "core/definition/definition_record.hpp"

#include <fmt/format.h>

#include "core/json/body.hpp"

namespace pawl::core {

namespace {

RawJson body_of(const DefinitionVersion& version) {
  Body body;
  body.put("name", version.name);
  body.put("version", version.version);
  body.put("hash", version.hash);
  body.put("text", version.text);
  body.put("created_at", version.created_at);
  return body.text();
}

}  // namespace

RecordRef definition_ref(const std::string& ns, const std::string& name) {
  return {.kind = RecordKind::definition, .ns = ns, .key = name};
}

// The version has a fixed width, so that no name can be mistaken for another name with a version.
RecordRef definition_ref(const std::string& ns, const std::string& name, int version) {
  return {.kind = RecordKind::definition_version, .ns = ns, .key = fmt::format("{}#{:010}", name, version)};
}

DefinitionVersion definition_version_from(const RawJson& text) {
  const Body body{text};
  return {.name = body.text_of("name"),
          .version = body.get<int>("version"),
          .hash = body.text_of("hash"),
          .text = body.raw_of("text"),
          .created_at = body.time_of("created_at")};
}

DefinitionVersion definition_version_from(const Record& record) {
  return definition_version_from(record.body);
}

Result<RecordDecision> decide_keep(const KeepDefinition& keep, FoundRecords found, TimePoint now) {
  const std::string& ns = keep.request.ns;
  const DefinitionVersion kept{.name = keep.definition.name,
                               .version = keep.next,
                               .hash = definition_hash(keep.definition),
                               .text = {definition_text(keep.definition)},
                               .created_at = now};
  if (found[0]) {
    const DefinitionVersion latest = definition_version_from(*found[0]);
    if (latest.hash == kept.hash || latest.version != keep.next - 1)
      return RecordDecision{.answer = found[0]->body};
  }
  RecordDecision decision{.answer = body_of(kept)};
  decision.changes.push_back({.ref = definition_ref(ns, kept.name), .body = decision.answer});
  decision.changes.push_back({.ref = definition_ref(ns, kept.name, kept.version), .body = decision.answer});
  decision.audit.push_back(audit_of(keep.request.by, ns, "definition.put", kept.name));
  decision.audit.back().detail = {fmt::format(R"({{"version":{}}})", kept.version)};
  return decision;
}

}  // namespace pawl::core
