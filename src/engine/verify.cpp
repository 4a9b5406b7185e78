#include "engine/verify.hpp"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/records/record.hpp"
#include "engine/plans.hpp"
#include "engine/verify_retention.hpp"
#include "engine/verify_run.hpp"
#include "engine/verify_task.hpp"
#include "store/table_checks.hpp"

namespace pawl::engine {

namespace {

using core::TaskStatus;
using store::LineRef;

constexpr std::size_t kPage = 500;
constexpr std::size_t kShownMax = 100;  // violations per check
constexpr core::Duration kSettledAfter = std::chrono::minutes{1};
constexpr core::Uuid kAfterAll = [] {
  core::Uuid id;
  id.bytes.fill(0xff);
  return id;
}();

class Verifier {
 public:
  Verifier(store::Store& store, const core::Retention& retention)
      : store_(store), overdue_(store, retention) {}

  core::Verification run() {
    if (look_at_tables()) look_at_rows();
    core::Verification verification;
    for (auto& [id, verdict] : verdicts_) verification.checks.push_back(std::move(verdict));
    return verification;
  }

 private:
  // How many tasks of a key may run, and how many wait for them.
  struct Line {
    std::int64_t first = 0;
    std::int64_t waiting = 0;

    [[nodiscard]] bool is_good() const { return first == 1 || (first == 0 && waiting == 0); }
    void add(TaskStatus status) {
      if (!core::is_terminal(status)) ++(status == TaskStatus::blocked ? waiting : first);
    }
  };

  // A blocked task of a run: either its run holds it, and it is in no line, or it waits behind others of its
  // key. The two cannot be distinguished from outside.
  static bool is_held(const core::TaskRecord& record) {
    return record.facts.run && record.status == TaskStatus::blocked;
  }

  core::Verdict& verdict(const std::string& id) { return verdicts_.at(id); }

  // False if the database cannot read its own file; then nothing else can be read either.
  bool look_at_tables() {
    for (core::Verdict& verdict : store_.check_tables()) {
      const std::string id = verdict.id;
      verdicts_[id] = std::move(verdict);
    }
    const auto file = verdicts_.find(std::string{store::kFileCheck});
    return file == verdicts_.end() || file->second.violations.empty();
  }

  void look_at_rows() {
    const store::RowCounts before = store_.count_rows(kAfterAll);
    for (const std::string& ns : store_.namespaces()) look_at_tasks(ns);
    look_at_lines();
    look_at_audit();
    look_at_runs();
    const store::RowCounts after = store_.count_rows(kAfterAll);
    const store::RowCounts settled = store_.count_rows(settled_);
    if (is_short(tasks_, before.tasks, after.tasks, settled.tasks)) look_for_missing_tasks();
    if (is_short(runs_, before.runs, after.runs, settled.runs)) look_for_missing_runs();
  }

  // Counts of listed rows: all of them, and those created some time before the check.
  struct Listed {
    std::int64_t all = 0;
    std::int64_t settled = 0;
  };
  void note(Listed& listed, const core::Uuid& id) const {
    ++listed.all;
    if (id < settled_) ++listed.settled;
  }

  // Rows are created and erased during the check. Every old row that still exists must have been listed; of
  // the new rows at least one, if the table was never empty.
  static bool is_short(const Listed& listed, std::int64_t before, std::int64_t after, std::int64_t settled) {
    return listed.settled < settled || (listed.all == 0 && before > 0 && after > 0);
  }

  // Lists the rows again, since a row may appear late with an old id: from a SQL function in a long
  // transaction.
  void look_for_missing_tasks() {
    Listed listed;
    for (const std::string& ns : store_.namespaces()) {
      store::TaskPage page{.filter = {.ns = ns}, .newest_first = false, .limit = kPage};
      std::vector<core::TaskId> ids(kPage);
      while (ids.size() == kPage) {
        ids = store_.list_task_ids(page);
        for (const core::TaskId& id : ids) note(listed, id);
        if (!ids.empty()) page.after = ids.back();
      }
    }
    tell_missing("I01", "tasks", listed, store_.count_rows(settled_).tasks,
                 store_.count_rows(kAfterAll).tasks);
  }

  void look_for_missing_runs() {
    Listed listed;
    each_run([&](const core::Run& run) { note(listed, run.facts.id); });
    tell_missing("I19", "runs", listed, store_.count_rows(settled_).runs, store_.count_rows(kAfterAll).runs);
  }

  void tell_missing(const char* check, const char* table, const Listed& listed, std::int64_t settled,
                    std::int64_t all) {
    if (is_short(listed, all, all, settled))
      violated(check, table, fmt::format("{} rows were examined, and there are {}", listed.all, all));
  }

  void violated(const std::string& check, std::string object, std::string message) {
    auto& violations = verdict(check).violations;
    if (violations.size() < kShownMax)
      violations.push_back({.object = std::move(object), .message = std::move(message)});
  }

  void look_at_tasks(const std::string& ns) {
    store::TaskPage page{.filter = {.ns = ns}, .newest_first = false, .limit = kPage};
    while (true) {
      const auto tasks = store_.list_tasks(page);
      for (const store::StoredTask& task : tasks) look_at_task(task);
      if (tasks.size() == kPage) {
        page.after = tasks.back().record.id;
        continue;
      }
      // A short page is not the end: rows may be unreadable or were erased in the meantime.
      const auto ids = store_.list_task_ids(page);
      look_for_unread(ids, tasks);
      if (ids.size() < kPage) return;
      page.after = ids.back();
    }
  }

  // Checks tasks that are missing from the page, such as a task that is in no place (T01).
  void look_for_unread(const std::vector<core::TaskId>& ids, const std::vector<store::StoredTask>& tasks) {
    std::set<core::TaskId> seen;
    for (const store::StoredTask& task : tasks) seen.insert(task.record.id);
    for (const core::TaskId& id : ids) {
      if (seen.contains(id)) continue;
      if (const auto task = store_.find_task(id)) look_at_task(*task);
    }
  }

  void look_at_task(const store::StoredTask& task) {
    const core::TaskRecord& record = task.record;
    note(tasks_, record.id);
    for (const char* check : {"I01", "I04", "I05", "I10", "I14"}) ++verdict(check).examined;
    if (record.status == TaskStatus::dead_letter || record.status == TaskStatus::failed)
      ++verdict("I37").examined;
    if (!findings_of(task).empty()) look_again(record.id);
    if (record.end) look_at_age(record, to_string(record.id));
    if (record.facts.key && !is_held(record)) {
      ++verdict("I16").examined;
      lines_[{record.lane->ns, record.lane->queue, *record.facts.key}].add(record.status);
    }
    if (record.facts.idempotency_key) look_at_idempotency(record);
  }

  template <typename Ended>
  void look_at_age(const Ended& ended, const std::string& object) {
    ++verdict("I38").examined;
    if (auto finding = overdue_.finding_of(ended)) violated("I38", object, std::move(*finding));
  }

  void look_again(const core::TaskId& id) {
    const auto task = store_.find_task(id);
    if (!task) return;
    for (TaskFinding& finding : findings_of(*task))
      violated(finding.check, to_string(id), std::move(finding.message));
  }

  void look_at_idempotency(const core::TaskRecord& record) {
    ++verdict("I33").examined;
    const store::IdempotencyRef ref{record.lane->ns, record.lane->type, *record.facts.idempotency_key};
    const auto [known, is_first] = idempotent_.emplace(ref, record.id);
    if (is_first || known->second == record.id || !store_.find_task(known->second)) return;
    violated("I33", to_string(record.id),
             fmt::format("task {} has the same type and idempotency key", to_string(known->second)));
  }

  // A line may move between two pages, so one that looks wrong is counted again from one page.
  void look_at_lines() {
    for (const auto& [ref, line] : lines_) {
      if (line.is_good()) continue;
      const Line again = count(ref);
      if (again.is_good()) continue;
      violated("I16", fmt::format("{}/{}/{}", ref.ns, ref.queue, ref.key),
               fmt::format("{} tasks of the key may run and {} wait", again.first, again.waiting));
    }
  }

  Line count(const LineRef& ref) {
    const std::vector<TaskStatus> open{TaskStatus::blocked, TaskStatus::pending, TaskStatus::claimed,
                                       TaskStatus::running};
    Line line;
    for (const store::StoredTask& task :
         store_.list_tasks({.filter = {.ns = ref.ns, .statuses = open, .queue = ref.queue, .key = ref.key},
         .newest_first = false,
         .limit = kPage}))
      if (!is_held(task.record)) line.add(task.record.status);
    return line;
  }

  // Reads from the newest entry back. Entries without a hash were written before the chain existed.
  void look_at_audit() {
    core::Verdict& chain = verdict("I44");
    const core::AuditEnd end = core::audit_end_from(store_.find_record(core::audit_end_ref()));
    std::optional<core::AuditEntry> later;
    std::optional<std::int64_t> before;
    while (true) {
      const auto entries = store_.list_audit({.after = before, .limit = kPage});
      for (const core::AuditEntry& entry : entries) {
        if (later) {
          look_at_link(entry, *later);
        } else {
          look_at_last(entry, end);
        }
        if (entry.sequence == end.sequence && entry.hash != end.hash)
          violated("I44", std::to_string(entry.sequence),
                   "the last audit entry does not match the chain's end");
        if (!entry.hash.empty()) ++chain.examined;
        later = entry;
      }
      if (entries.size() < kPage) break;
      before = entries.back().sequence;
    }
    if (!later && end.sequence > 0) violated("I44", std::to_string(end.sequence), "all entries are missing");
    if (later && later->sequence == 1) look_at_link({}, *later);
  }

  // Entries after the recorded end were chained after it was read; or the recorded end was lost.
  void look_at_last(const core::AuditEntry& entry, const core::AuditEnd& end) {
    if (entry.sequence < end.sequence)
      violated("I44", std::to_string(end.sequence), "the last entries are missing");
    if (entry.sequence <= end.sequence || entry.hash.empty()) return;
    const core::AuditEnd now = core::audit_end_from(store_.find_record(core::audit_end_ref()));
    if (entry.sequence > now.sequence)
      violated("I44", std::to_string(entry.sequence),
               fmt::format("the chain ends before it, with entry {}", now.sequence));
  }

  void look_at_link(const core::AuditEntry& entry, const core::AuditEntry& later) {
    if (later.hash.empty()) return;
    if (later.sequence != entry.sequence + 1)
      violated("I44", std::to_string(later.sequence), "the entry before it is missing");
    else if (later.hash != core::audit_hash(entry.hash, later))
      violated("I44", std::to_string(later.sequence), "the entry or the one before it was changed");
  }

  template <typename Visit>
  void each_run(const Visit& visit) {
    store::RunPage page{.query = {.ns = ""}, .newest_first = false, .limit = kPage, .with_unreadable = true};
    while (true) {
      const auto runs = store_.list_runs(page);
      for (const core::Run& run : runs) visit(run);
      if (runs.size() < kPage) return;
      page.after = runs.back().facts.id;
    }
  }

  void look_at_runs() {
    each_run([this](const core::Run& run) { look_at_run(run.facts.id); });
  }

  // Reads the run in one snapshot, so a finding needs no second read.
  void look_at_run(const core::RunId& id) {
    note(runs_, id);
    const auto stored = store_.find_run(id, {.nodes = true, .signals = true, .events = true});
    if (!stored) return;
    for (const char* check : kRunChecks) ++verdict(check).examined;
    if (!stored->misfit.empty()) return violated("I20", to_string(id), stored->misfit);
    const core::Run& run = stored->run;
    SharedPlan plan;
    if (run.facts.version > 0) {
      plan = plans_.find(run.facts.ns, run.facts.workflow, run.facts.version,
                         {.life = store_.life(),
                          .record = [this](const core::RecordRef& ref) { return store_.find_record(ref); }});
      if (plan == nullptr) return violated("I20", to_string(id), "it has no definition");
    }
    if (core::is_closed(run.state)) look_at_age(run, to_string(id));
    for (RunFinding& finding : findings_of(*stored, plan ? plan->view() : core::RunPlan{}))
      violated(finding.check, to_string(id), std::move(finding.message));
  }

  store::Store& store_;
  const core::Uuid settled_ = core::first_id_at(store_.now() - kSettledAfter);
  Listed tasks_;
  Listed runs_;
  OverdueRows overdue_;
  Plans plans_;
  std::map<std::string, core::Verdict> verdicts_ = [] {
    std::map<std::string, core::Verdict> all;
    for (const char* id : {"I01", "I04", "I05", "I10", "I14", "I16", "I33", "I37", "I38", "I44"})
      all[id].id = id;
    for (const char* id : kRunChecks) all[id].id = id;
    return all;
  }();
  std::map<LineRef, Line> lines_;
  std::map<store::IdempotencyRef, core::TaskId> idempotent_;
};

}  // namespace

core::Verification verify(store::Store& store, const core::Retention& retention) {
  return Verifier{store, retention}.run();
}

}  // namespace pawl::engine
