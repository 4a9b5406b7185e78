// The calls on the store as a whole: its nodes, its recovery, the look for what must never be.

#include "engine/due.hpp"
#include "engine/verify.hpp"
#include "runtime/guarded.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

constexpr std::size_t kPage = 1'000;

int changed_by(const core::Answer& answer, int examined) {
  const auto* swept = std::get_if<core::Swept>(&answer);
  return swept == nullptr ? examined : swept->changed;
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

// Until a page has nothing more to change, and written down in the end.
Result<core::SweepResult> LocalApi::sweep(const core::Sweep& request) {
  core::SweepResult result{.check = request.check};
  bool may_have_more = true;
  while (may_have_more) {
    auto due = guarded([&]() -> Result<std::vector<engine::DueWork>> {
      return engine::find_due(store_, request.check, {.page = kPage, .stuck_after = options_.stuck_after});
    });
    if (!due) return due.problem();
    int changed = 0;
    for (engine::DueWork& work : *due) {
      const auto answer = call(std::move(work.command));
      if (!answer) return answer.problem();
      result.examined += work.examined;
      changed += changed_by(*answer, work.examined);
    }
    result.changed += changed;
    may_have_more = changed > 0;
  }
  const core::Status noted = append_audit(
      {core::audit_of(request.by, "", "admin.sweep", std::string{core::to_string(request.check)})});
  if (!noted) return noted.problem();
  return result;
}

Result<core::StoreVitals> LocalApi::vitals() {
  return guarded([&]() -> Result<core::StoreVitals> { return store_.vitals(); });
}

Result<core::Verification> LocalApi::verify() {
  return guarded([&]() -> Result<core::Verification> { return engine::verify(store_); });
}

}  // namespace pawl::runtime
