// LocalApi's calls on the store as a whole: nodes, recovery and verification.

#include "engine/due.hpp"
#include "engine/retention.hpp"
#include "engine/verify.hpp"
#include "runtime/guarded.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

constexpr std::size_t kSweepPage = 1'000;

int changed_by(const core::Answer& answer, int examined) {
  const auto* swept = std::get_if<core::Swept>(&answer);
  return swept == nullptr ? examined : swept->changed;
}

void add_erased(const std::string& ns, std::string_view kind, int count, core::SweepResult& result) {
  for (core::ErasedKind& one : result.erased) {
    if (one.ns != ns || one.kind != kind) continue;
    one.count += count;
    return;
  }
  result.erased.push_back({.ns = ns, .kind = std::string{kind}, .count = count});
}

// Counts expired records.
void add_expired(const engine::DueWork& work, core::SweepResult& result) {
  for (const core::RecordRef& ref : std::get<core::ChangeRecords>(work.command).refs)
    add_erased(ref.ns, core::to_string(ref.kind), 1, result);
}

}  // namespace

Result<std::vector<core::NodeStatus>> LocalApi::list_nodes() {
  const auto leader = find_record(core::leader_ref());
  if (!leader) return leader.problem();
  const core::Leadership leadership = core::leadership_from(leader->record);
  std::vector<core::NodeStatus> nodes;
  core::ListRecords list{.limit = core::kPageMax};
  while (true) {
    const auto page = list_records(core::RecordKind::node, "", list);
    if (!page) return page.problem();
    for (const core::Record& record : page->records) {
      const bool is_lost = record.expires_at && *record.expires_at <= page->now;
      if (!is_lost) nodes.push_back(core::node_at(record, leadership, page->now));
    }
    if (!page->next_cursor) return nodes;
    list.cursor = *page->next_cursor;
  }
}

// Repeats until a page has nothing more to change.
core::Status LocalApi::sweep_due(const core::Sweep& request, core::SweepResult& result) {
  bool may_have_more = true;
  while (may_have_more) {
    auto due = guarded([&]() -> Result<std::vector<engine::DueWork>> {
      return engine::find_due(store_, request.check,
                              {.page = kSweepPage, .stuck_after = options_.stuck_after});
    });
    if (!due) return due.problem();
    int changed = 0;
    for (engine::DueWork& work : *due) {
      if (request.check == core::RecoveryCheck::retention) add_expired(work, result);
      result.examined += work.examined;
      if (request.dry_run) continue;
      const auto answer = call(std::move(work.command));
      if (!answer) return answer.problem();
      changed += changed_by(*answer, work.examined);
    }
    result.changed += changed;
    may_have_more = changed > 0;
  }
  return core::Done{};
}

core::Status LocalApi::sweep_old(const core::Sweep& request, core::SweepResult& result) {
  std::optional<engine::RetentionWalk> walk;
  const auto next = [&]() -> Result<std::optional<engine::RetentionWalk::Page>> {
    if (!walk) walk.emplace(store_, options_.retention);
    return walk->next();
  };
  while (true) {
    auto page = guarded(next);
    if (!page) return page.problem();
    if (!*page) return core::Done{};
    for (const auto& [ns, count] : (*page)->old) {
      add_erased(ns, (*page)->kind, count, result);
      result.examined += count;
    }
    if (request.dry_run || !(*page)->command) continue;
    const auto answer = call(std::move(*(*page)->command));
    if (!answer) return answer.problem();
    result.changed += std::get<core::Swept>(*answer).changed;
  }
}

// Records the sweep in the audit log at its end.
Result<core::SweepResult> LocalApi::sweep(const core::Sweep& request) {
  const bool is_retention = request.check == core::RecoveryCheck::retention;
  if (request.dry_run && !is_retention)
    return core::invalid_field("dry_run", "is only for the check retention");
  core::SweepResult result{.check = request.check};
  if (const core::Status due = sweep_due(request, result); !due) return due.problem();
  if (is_retention) {
    if (const core::Status old = sweep_old(request, result); !old) return old.problem();
  }
  if (request.dry_run) return result;
  const core::Status noted = append_audit(
      {core::audit_of(request.by, "", "admin.sweep", std::string{core::to_string(request.check)})});
  if (!noted) return noted.problem();
  return result;
}

core::Status LocalApi::check_store() {
  return guarded([&]() -> core::Status {
    store_.check_ready();
    return core::Done{};
  });
}

Result<core::StoreVitals> LocalApi::vitals() {
  return guarded([&]() -> Result<core::StoreVitals> { return store_.vitals(); });
}

Result<core::Verification> LocalApi::verify() {
  return guarded([&]() -> Result<core::Verification> { return engine::verify(store_, options_.retention); });
}

}  // namespace pawl::runtime
