#include "engine/verify.hpp"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/record.hpp"
#include "engine/plans.hpp"
#include "engine/verify_retention.hpp"
#include "engine/verify_run.hpp"
#include "engine/verify_task.hpp"

namespace pawl::engine {

namespace {

using core::TaskStatus;
using store::LineRef;

constexpr std::size_t kPage = 500;
constexpr std::size_t kShownMax = 100;  // violations of one check

class Verifier {
 public:
  Verifier(store::Store& store, const core::Retention& retention)
      : store_(store), overdue_(store, retention) {}

  core::Verification run() {
    for (const std::string& ns : store_.namespaces()) look_at_tasks(ns);
    look_at_lines();
    look_at_audit();
    look_at_runs();
    core::Verification verification;
    for (auto& [id, verdict] : verdicts_) verification.checks.push_back(std::move(verdict));
    return verification;
  }

 private:
  // How many of an entity's tasks may run, and how many wait for them.
  struct Line {
    std::int64_t first = 0;
    std::int64_t waiting = 0;

    [[nodiscard]] bool is_good() const { return first == 1 || (first == 0 && waiting == 0); }
    void add(TaskStatus status) {
      if (!core::is_terminal(status)) ++(status == TaskStatus::blocked ? waiting : first);
    }
  };

  // By its run, and so in no line; or behind others of its key, which nobody can tell from outside.
  static bool is_held(const core::TaskRecord& record) {
    return record.facts.run && record.status == TaskStatus::blocked;
  }

  core::Verdict& verdict(const std::string& id) { return verdicts_.at(id); }

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
      if (tasks.size() < kPage) return;
      page.after = tasks.back().record.id;
    }
  }

  void look_at_task(const store::StoredTask& task) {
    const core::TaskRecord& record = task.record;
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

  // A line moves on between two pages: one that looks wrong is counted again from one page.
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

  // From the newest back. Entries without a hash are from before there was a chain.
  void look_at_audit() {
    core::Verdict& chain = verdict("I44");
    const core::AuditEnd end = core::audit_end_from(store_.find_record(core::audit_end_ref()));
    std::optional<core::AuditEntry> later;
    std::optional<std::int64_t> before;
    while (true) {
      const auto entries = store_.list_audit(before, kPage);
      for (const core::AuditEntry& entry : entries) {
        if (later) {
          look_at_link(entry, *later);
        } else if (entry.sequence < end.sequence) {
          violated("I44", std::to_string(end.sequence), "the last entries are missing");
        }
        if (entry.sequence == end.sequence && entry.hash != end.hash)
          violated("I44", std::to_string(entry.sequence), "the last entry is not the one that was chained");
        if (!entry.hash.empty()) ++chain.examined;
        later = entry;
      }
      if (entries.size() < kPage) break;
      before = entries.back().sequence;
    }
    if (!later && end.sequence > 0) violated("I44", std::to_string(end.sequence), "all entries are missing");
    if (later && later->sequence == 1) look_at_link({}, *later);
  }

  void look_at_link(const core::AuditEntry& entry, const core::AuditEntry& later) {
    if (later.hash.empty()) return;
    if (later.sequence != entry.sequence + 1)
      violated("I44", std::to_string(later.sequence), "the entry before it is missing");
    else if (later.hash != core::audit_hash(entry.hash, later))
      violated("I44", std::to_string(later.sequence), "the entry or the one before it was changed");
  }

  void look_at_runs() {
    store::RunPage page{.query = {.ns = ""}, .newest_first = false, .limit = kPage};
    while (true) {
      const auto runs = store_.list_runs(page);
      for (const core::Run& run : runs) look_at_run(run);
      if (runs.size() < kPage) return;
      page.after = runs.back().facts.id;
    }
  }

  // All of one moment, so that what is found needs no second look.
  void look_at_run(const core::Run& run) {
    const auto stored = store_.find_run(run.facts.id, {.nodes = true, .signals = true, .events = true});
    if (!stored) return;
    SharedPlan plan;
    if (run.facts.version > 0) {
      plan = plans_.find(run.facts.ns, run.facts.workflow, run.facts.version,
                         {.life = store_.life(),
                          .record = [this](const core::RecordRef& ref) { return store_.find_record(ref); }});
      if (plan == nullptr) return violated("I20", to_string(run.facts.id), "it has no definition");
    }
    for (const char* check : kRunChecks) ++verdict(check).examined;
    if (core::is_closed(run.state)) look_at_age(run, to_string(run.facts.id));
    for (RunFinding& finding : findings_of(*stored, plan ? plan->view() : core::RunPlan{}))
      violated(finding.check, to_string(run.facts.id), std::move(finding.message));
  }

  store::Store& store_;
  OverdueLook overdue_;
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
