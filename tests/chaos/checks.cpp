#include "tests/chaos/checks.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "core/base/time.hpp"
#include "tests/chaos/load.hpp"
#include "tests/chaos/process.hpp"

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;

core::TimePoint time_of(const json& text) {
  return core::parse_time(text.get<std::string>()).value_or(core::TimePoint{});
}

std::vector<Hold> those(const std::vector<Hold>& holds, const std::function<bool(const Hold&)>& fits) {
  std::vector<Hold> found;
  for (const Hold& hold : holds) {
    if (fits(hold)) found.push_back(hold);
  }
  return found;
}

}  // namespace

std::vector<json> Checks::all(const std::string& path) {
  std::vector<json> items;
  std::string cursor;
  do {
    const auto page = client_.insist(
        {.path = path + "limit=500" + (cursor.empty() ? "" : "&cursor=" + cursor)}, patience());
    if (!page || page->status != 200) {
      ledger_.violation(Harm::wrong, fmt::format("{}: {}", path, page ? page->body.dump() : "no answer"));
      return items;
    }
    for (const json& item : page->body["items"]) items.push_back(item);
    const json& next = page->body["next_cursor"];
    cursor = next.is_string() ? client::percent_encoded(next.get<std::string>()) : "";
  } while (!cursor.empty());
  return items;
}

void Checks::pause_schedules() {
  for (const char* name : kSchedules) {
    const auto answer = client_.insist(
        {.method = "POST", .path = fmt::format("/default/schedules/{}/pause", name)}, patience());
    if (!answer || answer->status != 200)
      ledger_.violation(Harm::wrong, fmt::format("the schedule {} could not be paused", name));
  }
}

void Checks::await_quiescence() {
  const Time began = std::chrono::steady_clock::now();
  Time changed_at = began;
  std::string last;
  while (!is_quiet()) {
    const std::string now = counts();
    const Time looked_at = std::chrono::steady_clock::now();
    if (now != last) changed_at = looked_at;
    last = now;
    if (looked_at > changed_at + 60s || looked_at > began + 10min)
      return ledger_.violation(Harm::lost, "not everything ended: " + now);
    std::this_thread::sleep_for(50ms);
  }
  ledger_.recovered(
      "from the last fault to quiescence",
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began));
}

std::string Checks::counts() {
  const auto queues = client_.insist({.path = "/default/queues"}, patience());
  std::string text;
  for (const json& queue : queues ? queues->body["items"] : json::array())
    text += queue["name"].get<std::string>() + " " + queue["counts"].dump() + " ";
  return text;
}

bool Checks::is_quiet() {
  const auto queues = client_.insist({.path = "/default/queues"}, patience());
  if (!queues) return false;
  for (const json& queue : queues->body["items"]) {
    for (const char* count : {"pending", "scheduled", "blocked", "claimed", "running"}) {
      if (queue["counts"][count] != 0) return false;
    }
  }
  return all("/default/runs?state=created,running,sleeping,completing,failing,compensating&").empty();
}

void Checks::tasks() {
  std::set<std::string> there;
  for (const json& task : all("/default/tasks?")) {
    const std::string id = task["id"];
    ledger_.count("tasks examined");
    if (!there.insert(id).second) ledger_.violation(Harm::doubled, "task " + id + " was listed twice");
    const bool is_of_run = task["run_id"].is_string();
    const std::string schedule = task["labels"].value("schedule", "");
    if (!schedule.empty()) tasks_by_schedule_[schedule].insert(id);
    if (!is_of_run && schedule.empty() && !ledger_.tasks().contains(id))
      ledger_.violation(Harm::wrong, "task " + id + " is there and no caller received its id");
    const std::string status = task["status"];
    if (!is_of_run && status != "completed") ended_as("task " + id, status);
    if (ledger_.completions().contains(id) && status != "completed")
      ledger_.violation(Harm::lost, "task " + id + " was completed and is " + status);
  }
  for (const auto& [id, acknowledged] : ledger_.tasks()) {
    if (!there.contains(id)) lost("task " + id, acknowledged);
  }
}

// Called after quiescence: an object that has not ended by now never ends.
void Checks::ended_as(const std::string& object, const std::string& status) {
  constexpr std::array<std::string_view, 5> kEnded{"completed", "failed", "dead_letter", "cancelled",
                                                   "compensated"};
  const bool has_ended = std::find(kEnded.begin(), kEnded.end(), status) != kEnded.end();
  ledger_.violation(has_ended ? Harm::wrong : Harm::lost,
                    fmt::format("{} {} {}", object, has_ended ? "ended as" : "never ended and is", status));
}

// Where commits do not wait for durability, the end of the log may be lost. Nothing before it may be.
void Checks::lost(const std::string& object, Time acknowledged) {
  if (ledger_.may_be_lost(acknowledged)) return ledger_.count(kLostWithTheTail);
  ledger_.violation(Harm::lost, object + " was acknowledged and is lost");
}

void Checks::limits() {
  const std::vector<Hold> holds =  // leases lost with the end of the log do not count
      those(ledger_.holds(), [&](const Hold& hold) { return !ledger_.may_be_lost(hold.from); });
  const auto expect = [&](const std::string& what, std::int64_t limit, const std::vector<Hold>& of) {
    const std::int64_t most = most_at_once(of);
    ledger_.count("leases under a limit", static_cast<std::int64_t>(of.size()));
    if (most > limit)
      ledger_.violation(Harm::wrong,
                        fmt::format("{} of {} were held at once, {} are allowed", most, what, limit));
    if (most == limit) ledger_.count("limits that were reached");
  };
  expect("the limited queue", kLimitedMax,
         those(holds, [](const Hold& hold) { return hold.queue == kLimitedQueue; }));
  expect("the narrow type", kNarrowMax,
         those(holds, [](const Hold& hold) { return hold.type == kNarrowType; }));
  std::map<std::string, std::vector<Hold>> by_key;
  std::map<std::string, std::vector<Hold>> by_task;
  for (const Hold& hold : holds) {
    if (!hold.key.empty()) by_key[hold.key].push_back(hold);
    by_task[hold.task].push_back(hold);
  }
  for (const auto& [key, its] : by_key) expect("entity " + key, 1, its);
  for (const auto& [task, its] : by_task) {
    if (most_at_once(its) > 1) ledger_.violation(Harm::doubled, "task " + task + " was held by two at once");
  }
}

void Checks::runs() {
  for (const auto& [id, started] : ledger_.runs()) {
    const auto run = client_.insist({.path = "/default/runs/" + id}, patience());
    ledger_.count("runs examined");
    if (!run || run->status != 200) {
      lost("run " + id, started.at);
      continue;
    }
    const std::string state = run->body["state"];
    if (state != (started.must_fail ? "compensated" : "completed")) ended_as("run " + id, state);
  }
}

void Checks::schedules() {
  for (const char* name : kSchedules) slots_of(name);
}

// Between the first and the last slot, each second appears exactly once: as a fired slot with its own task,
// or in a range that was skipped with a reason.
void Checks::slots_of(const std::string& schedule) {
  const auto created = client_.insist({.path = "/default/schedules/" + schedule}, patience());
  core::TimePoint next = created ? time_of(created->body["created_at"]) + 1s : core::TimePoint{};
  std::vector<json> firings = all("/default/schedules/" + schedule + "/firings?");
  std::set<std::string> started;
  for (auto firing = firings.rbegin(); firing != firings.rend(); ++firing) {
    const core::TimePoint slot = time_of((*firing)["fire_at"]);
    if (slot != next)
      ledger_.violation(Harm::wrong, fmt::format("{}: the slot {} comes where {} was due", schedule,
                                                 core::format_time(slot), core::format_time(next)));
    const bool is_skipped = (*firing)["status"] == "skipped";
    if (is_skipped && (*firing)["reason"].is_null())
      ledger_.violation(Harm::wrong, schedule + ": a slot was skipped for no reason");
    if (!is_skipped && (*firing)["task_id"].is_null())
      ledger_.violation(Harm::wrong,
                        fmt::format("{}: the slot {} is {} and started nothing", schedule,
                                    core::format_time(slot), (*firing)["status"].get<std::string>()));
    if (!is_skipped && (*firing)["task_id"].is_string()) started.insert((*firing)["task_id"]);
    ledger_.count(is_skipped ? "slots skipped for a reason" : "slots fired");
    const json& until = (*firing)["until"];
    next = (until.is_string() ? time_of(until) : slot) + 1s;
  }
  if (started != tasks_by_schedule_[schedule])
    ledger_.violation(Harm::wrong, fmt::format("{}: {} slots fired and {} tasks are there", schedule,
                                               started.size(), tasks_by_schedule_[schedule].size()));
}

// One claimable task and one behind it in the key line, in a queue without workers.
void Checks::leave_open_key() {
  for (const char* name : {"open/0", "open/1"}) {
    const json task{{"type", "plain"}, {"queue", "left"}, {"key", "left"}, {"idempotency_key", name}};
    const auto answer =
        client_.insist({.method = "POST", .path = "/default/tasks", .body = task}, patience());
    if (!answer || answer->status >= 300) ledger_.violation(Harm::wrong, "an enqueue was refused at the end");
  }
}

void Checks::verify(const std::string& binary, const std::string& store, const std::string& log) {
  Process verifier{{binary, "verify", "--json", "--store", store}, log};
  const int code = verifier.wait();
  const std::string text = text_of_file(log);
  ledger_.count("stores verified");
  const json verification = json::parse(text, nullptr, false);
  if (verification.is_discarded() || !verification.contains("checks"))
    return ledger_.violation(Harm::wrong, fmt::format("pawl verify ended with {}: {}", code, text));
  for (const json& check : verification["checks"]) {
    const std::string id = check["id"];
    const auto examined = check["examined"].get<std::int64_t>();
    verified_[id] = examined;
    if (examined == 0) ledger_.violation(Harm::wrong, fmt::format("pawl verify examined nothing for {}", id));
    for (const json& one : check["violations"])
      ledger_.violation(Harm::wrong, fmt::format("pawl verify {}: {}", id, one.dump()));
  }
}

}  // namespace pawl::chaos
