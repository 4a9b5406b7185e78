// LocalApi's calls on definitions.

#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/definition/definition.hpp"
#include "runtime/guarded.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

core::Status check_definition_name(const std::string& ns, const std::string& name) {
  return core::first_of({core::check_namespace(ns), core::check_name("name", name)});
}

core::Problem no_such_workflow(const std::string& name, std::optional<int> version) {
  return {.code = core::ProblemCode::not_found,
          .detail = fmt::format("there is no workflow {}{}", name,
                                version ? fmt::format(" version {}", *version) : "")};
}

}  // namespace

// The number of the next version is known only after the latest version was read. If another version is
// stored in between, reads it again.
Result<core::DefinitionPut> LocalApi::put_definition(const core::PutDefinition& request) {
  if (const core::Status valid = check_definition_name(request.ns, request.name); !valid)
    return valid.problem();
  auto definition = core::parse_definition(request.text, request.name);
  if (!definition) return definition.problem();
  core::KeepDefinition keep{.request = request, .definition = std::move(*definition)};
  keep.request.text.clear();
  const core::RecordRef latest_ref = core::definition_ref(request.ns, request.name);
  const std::string hash = core::definition_hash(keep.definition);
  while (true) {
    const auto latest = find_record(latest_ref);
    if (!latest) return latest.problem();
    keep.next = latest->record ? core::definition_version_from(*latest->record).version + 1 : 1;
    const auto answer =
        change({.refs = {latest_ref, core::definition_ref(request.ns, request.name, keep.next)},
                .decide = [keep](core::FoundRecords found, core::TimePoint now) {
                  return core::decide_keep(keep, found, now);
                }});
    if (!answer) return answer.problem();
    core::DefinitionVersion kept = core::definition_version_from(answer->body);
    if (kept.hash != hash) continue;
    return core::DefinitionPut{.created = answer->has_changed, .version = std::move(kept)};
  }
}

Result<core::DefinitionVersion> LocalApi::get_definition(const std::string& ns, const std::string& name,
                                                         std::optional<int> version) {
  if (const core::Status valid = check_definition_name(ns, name); !valid) return valid.problem();
  return guarded([&]() -> Result<core::DefinitionVersion> {
    const auto record = store_.find_record(version ? core::definition_ref(ns, name, *version)
                                                   : core::definition_ref(ns, name));
    if (!record) return no_such_workflow(name, version);
    return core::definition_version_from(*record);
  });
}

Result<core::Page<core::DefinitionVersion>> LocalApi::list_definitions(const core::ListRecords& list) {
  const auto found = list_records(core::RecordKind::definition, list.ns, list);
  if (!found) return found.problem();
  core::Page<core::DefinitionVersion> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records)
    page.items.push_back(core::definition_version_from(record));
  return page;
}

}  // namespace pawl::runtime
