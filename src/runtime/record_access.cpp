#include "runtime/record_access.hpp"

#include "core/base/limits.hpp"
#include "runtime/guarded.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

// An invalid key must not reach the store.
core::Status check_ref(const core::RecordRef& ref) {
  const char* field = "key";
  if (ref.kind == core::RecordKind::worker) field = "worker_id";
  if (ref.kind == core::RecordKind::task_type) field = "type";
  if (ref.kind == core::RecordKind::token) field = "id";
  if (ref.kind == core::RecordKind::definition || ref.kind == core::RecordKind::schedule) field = "name";
  const core::Status ns = ref.ns.empty() ? core::Status{core::Done{}} : core::check_namespace(ref.ns);
  return core::first_of({ns, core::check_key(field, ref.key)});
}

}  // namespace

Result<RecordNow> RecordAccess::find(const core::RecordRef& ref) {
  if (const core::Status valid = check_ref(ref); !valid) return valid.problem();
  return guarded([&]() -> Result<RecordNow> {
    RecordNow found{.record = store_.find_record(ref), .now = store_.now()};
    if (found.record) core::skip_jumps(*found.record, store_.clock_state());
    return found;
  });
}

Result<RecordNow> RecordAccess::recent(const core::RecordRef& ref) {
  if (auto known = cache_.find(ref)) return std::move(*known);
  const std::uint64_t round = cache_.round();
  auto seen = find(ref);
  if (seen && seen->record && ref.kind == core::RecordKind::task_type) {
    seen->type = std::make_shared<const core::DeclaredType>(core::task_type_from(seen->record->body));
    seen->record->body = {};
  }
  if (seen) cache_.put(ref, *seen, round);
  return seen;
}

// The cursor is opaque to callers: "k" and the last key.
Result<RecordPageNow> RecordAccess::list(core::RecordKind kind, const std::string& ns,
                                         const core::ListRecords& list) {
  if (const core::Status valid = core::check_page_limit(list.limit); !valid) return valid.problem();
  if (!ns.empty()) {
    if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  }
  if (!list.cursor.empty() && (list.cursor.front() != 'k' || !core::check_key("cursor", list.cursor)))
    return core::invalid_field("cursor", "is not a cursor of this server");
  return guarded([&]() -> Result<RecordPageNow> {
    const auto limit = static_cast<std::size_t>(list.limit);
    const std::string after = list.cursor.empty() ? "" : list.cursor.substr(1);
    RecordPageNow page;
    page.records = store_.list_records({.kind = kind, .ns = ns, .after_key = after, .limit = limit + 1});
    page.now = store_.now();
    const core::ClockState clock = store_.clock_state();
    for (core::Record& record : page.records) core::skip_jumps(record, clock);
    if (page.records.size() > limit) {
      page.records.pop_back();
      page.next_cursor = "k" + page.records.back().ref.key;
    }
    return page;
  });
}

Result<core::RecordAnswer> RecordAccess::change(core::ChangeRecords command) {
  const std::vector<core::RecordRef> refs = command.refs;
  auto answer = caller_.call_for<core::RecordAnswer>(std::move(command));
  cache_.forget(refs);
  return answer;
}

}  // namespace pawl::runtime
