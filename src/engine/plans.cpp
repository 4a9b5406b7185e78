#include "engine/plans.hpp"

#include <fmt/format.h>

#include "core/definition/definition_record.hpp"
#include "core/definition/expression.hpp"
#include "store/store.hpp"

namespace pawl::engine {

namespace {

constexpr std::size_t kPlansMax = 1'000;

std::vector<core::NodeIndex> sources_of(const core::DefinitionTask& task, const core::Graph& graph) {
  core::Mistakes none;  // the definition was checked
  std::vector<core::PlacedReference> references;
  for (const core::RawJson* text : {&task.input, &task.for_each}) {
    if (!text->empty()) core::check_template(text->text, "", none, references);
  }
  std::vector<core::NodeIndex> sources;
  for (const core::PlacedReference& placed : references) {
    if (const auto index = graph.find(placed.reference.task)) sources.push_back(*index);
  }
  return sources;
}

}  // namespace

Plan::Plan(int number, core::Definition checked)
    : version(number), definition(std::move(checked)), graph(definition) {
  for (const core::DefinitionTask& task : definition.tasks) sources.push_back(sources_of(task, graph));
}

SharedPlan Plans::cached(const Key& key) {
  const std::lock_guard lock{mutex_};
  const auto found = plans_.find(key);
  return found == plans_.end() ? nullptr : found->second;
}

SharedPlan Plans::keep(const Key& key, const core::Record& record) {
  const core::DefinitionVersion version = core::definition_version_from(record);
  auto definition = core::parse_definition(version.text.text, version.name);
  if (!definition) {
    throw store::StoreError{
        store::StoreError::Kind::internal,
        fmt::format("definition {} cannot be read: {}", key.second.key, definition.problem().detail)};
  }
  auto plan = std::make_shared<const Plan>(version.version, std::move(*definition));
  const std::lock_guard lock{mutex_};
  const auto [entry, is_new] = plans_.emplace(key, std::move(plan));
  SharedPlan kept = entry->second;
  if (!is_new) return kept;
  oldest_first_.push_back(key);
  if (oldest_first_.size() > kPlansMax) {
    plans_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
  return kept;
}

SharedPlan Plans::latest(const std::string& ns, const std::string& name, const Read& read) {
  const auto record = read.record(core::definition_ref(ns, name));
  if (!record) return nullptr;
  const int version = core::definition_version_from(*record).version;
  const Key key{read.life, core::definition_ref(ns, name, version)};
  if (SharedPlan plan = cached(key)) return plan;
  return keep(key, *record);
}

SharedPlan Plans::find(const std::string& ns, const std::string& name, int version, const Read& read) {
  const Key key{read.life, core::definition_ref(ns, name, version)};
  if (SharedPlan plan = cached(key)) return plan;
  const auto record = read.record(key.second);
  return record ? keep(key, *record) : nullptr;
}

}  // namespace pawl::engine
