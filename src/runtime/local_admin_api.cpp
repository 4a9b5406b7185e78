#include "runtime/local_admin_api.hpp"

#include <charconv>
#include <utility>

#include "engine/due.hpp"
#include "engine/retention.hpp"
#include "engine/verify.hpp"
#include "runtime/guarded.hpp"
#include "runtime/record_answers.hpp"

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

Result<core::Token> LocalAdminApi::create_token(const core::CreateToken& request) {
  return read_answer(records_.decide_on({core::token_ref(request.id)}, request, core::decide_create_token),
                     core::token_from);
}

Result<core::Token> LocalAdminApi::revoke_token(const core::RevokeToken& request) {
  return read_answer(records_.decide_on({core::token_ref(request.id)}, request, core::decide_revoke_token),
                     core::token_from);
}

Result<core::Token> LocalAdminApi::rotate_token(const core::RotateToken& request) {
  return read_answer(records_.decide_on({core::token_ref(request.id)}, request, core::decide_rotate_token),
                     core::token_from);
}

Result<core::FoundToken> LocalAdminApi::find_token(const std::string& id) {
  const auto found = records_.find(core::token_ref(id));
  if (!found) return found.problem();
  if (!found->record) return no_such_record("token", id);
  return core::FoundToken{.token = core::token_from(found->record->body), .now = found->now};
}

Result<core::Page<core::Token>> LocalAdminApi::list_tokens(const core::ListRecords& list) {
  const auto found = records_.list(core::RecordKind::token, "", list);
  if (!found) return found.problem();
  core::Page<core::Token> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) page.items.push_back(core::token_from(record.body));
  return page;
}

Result<core::NamespaceSettings> LocalAdminApi::get_namespace(const std::string& ns) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  const auto found = records_.find(core::namespace_ref(ns));
  if (!found) return found.problem();
  return core::namespace_settings_from(found->record);
}

Result<core::NamespaceSettings> LocalAdminApi::put_namespace(const core::PutNamespace& request) {
  return read_answer(
      records_.decide_on({core::namespace_ref(request.ns)}, request, core::decide_put_namespace),
      [](const core::RawJson& answer) { return core::namespace_settings_from(answer); });
}

Result<core::Done> LocalAdminApi::append_audit(std::vector<core::AuditEntry> entries) {
  const auto noted =
      records_.change({.decide = [entries = std::move(entries)](core::FoundRecords, core::TimePoint) {
        return Result<core::RecordDecision>{core::RecordDecision{.audit = entries}};
      }});
  if (!noted) return noted.problem();
  return core::Done{};
}

Result<core::Page<core::AuditEntry>> LocalAdminApi::list_audit(const core::ListAudit& list) {
  if (const core::Status valid = core::check_page_limit(list.limit); !valid) return valid.problem();
  std::optional<std::int64_t> before;
  if (!list.cursor.empty()) {
    std::int64_t number = 0;
    const char* end = list.cursor.data() + list.cursor.size();
    const auto [stop, error] = std::from_chars(list.cursor.data(), end, number);
    if (error != std::errc{} || stop != end)
      return core::invalid_field("cursor", "is not a cursor of this server");
    before = number;
  }
  return guarded([&]() -> Result<core::Page<core::AuditEntry>> { return read_audit(list, before); });
}

// Newest first. Entries that the filter excludes are read too, up to a bound.
core::Page<core::AuditEntry> LocalAdminApi::read_audit(const core::ListAudit& list,
                                                       std::optional<std::int64_t> before) {
  constexpr std::size_t kReadMax = 5'000;
  const auto limit = static_cast<std::size_t>(list.limit);
  const bool is_filtered = list.filter != core::AuditFilter{};
  const std::size_t at_once = is_filtered ? std::size_t{core::kPageMax} : limit + 1;
  core::Page<core::AuditEntry> page;
  for (std::size_t read = 0; read < kReadMax;) {
    const auto entries = store_.list_audit({.after = before, .limit = at_once});
    for (const core::AuditEntry& entry : entries) {
      const bool is_past = list.filter.created_after && entry.at < *list.filter.created_after;
      if (is_past) return page;
      before = entry.sequence;
      if (!core::matches(list.filter, entry)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = std::to_string(page.items.back().sequence);
        return page;
      }
      page.items.push_back(entry);
    }
    read += entries.size();
    if (entries.size() < at_once) return page;
  }
  page.next_cursor = std::to_string(*before);
  return page;
}

Result<std::vector<core::NodeStatus>> LocalAdminApi::list_nodes() {
  const auto leader = records_.find(core::leader_ref());
  if (!leader) return leader.problem();
  const core::Leadership leadership = core::leadership_from(leader->record);
  std::vector<core::NodeStatus> nodes;
  core::ListRecords list{.limit = core::kPageMax};
  while (true) {
    const auto page = records_.list(core::RecordKind::node, "", list);
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
core::Status LocalAdminApi::sweep_due(const core::Sweep& request, core::SweepResult& result) {
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
      const auto answer = caller_.call(std::move(work.command));
      if (!answer) return answer.problem();
      changed += changed_by(*answer, work.examined);
    }
    result.changed += changed;
    may_have_more = changed > 0;
  }
  return core::Done{};
}

core::Status LocalAdminApi::sweep_old(const core::Sweep& request, core::SweepResult& result) {
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
    const auto answer = caller_.call(std::move(*(*page)->command));
    if (!answer) return answer.problem();
    result.changed += std::get<core::Swept>(*answer).changed;
  }
}

// Records the sweep in the audit log at its end.
Result<core::SweepResult> LocalAdminApi::sweep(const core::Sweep& request) {
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

core::Status LocalAdminApi::check_store() {
  return guarded([&]() -> core::Status {
    store_.check_ready();
    return core::Done{};
  });
}

Result<core::StoreVitals> LocalAdminApi::vitals() {
  return guarded([&]() -> Result<core::StoreVitals> { return store_.vitals(); });
}

Result<core::Verification> LocalAdminApi::verify() {
  return guarded([&]() -> Result<core::Verification> { return engine::verify(store_, options_.retention); });
}

}  // namespace pawl::runtime
