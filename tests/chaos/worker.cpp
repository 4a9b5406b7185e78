#include "tests/chaos/worker.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "core/base/time.hpp"
#include "tests/chaos/load.hpp"

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto kLease = 1'500ms;
constexpr auto kSurelyOver = kLease + 500ms;

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace

void Worker::work_until(const std::atomic<bool>& is_over) {
  while (!is_over) {
    claim_and_work();
    report_late_ones();
  }
}

void Worker::claim_and_work() {
  const Time asked_at = std::chrono::steady_clock::now();
  const auto lease_end = std::chrono::system_clock::now() + kLease;
  const auto answer =
      client_.try_once(client_.any_node(), {.method = "POST",
                                            .path = "/default/tasks/claim",
                                            .body = {{"worker_id", name_},
                                                     {"queues", {"default", kLimitedQueue}},
                                                     {"max", 1 + client_.chance.below(3)},
                                                     {"lease", fmt::format("{}ms", kLease.count())},
                                                     {"wait", "300ms"}}});
  const Time received_at = std::chrono::steady_clock::now();
  if (!answer || answer->status != 200) return std::this_thread::sleep_for(20ms);
  const json tasks = answer->body.value("tasks", json::array());
  if (!tasks.empty()) ledger_.acknowledged(answer->asked_at);
  if (!has_own_clock_) {
    for (const json& task : tasks) check_lease(task, lease_end);
  }
  for (const json& task : tasks)
    ledger_.claimed(task["id"], task["lease"]["fence"].get<std::int64_t>(), asked_at + kLease);
  for (const json& task : tasks) work_on(task, asked_at, received_at);
}

// The database uses this machine's clock, unless it is stepped. If the lease expired earlier than requested,
// another worker could hold the task while this one, which counts from its request, continues.
void Worker::check_lease(const json& task, std::chrono::system_clock::time_point least) {
  const std::string said = task["lease"]["expires_at"];
  if (const auto until = core::parse_time(said); !until || *until < least)
    ledger_.violation(Harm::wrong,
                      fmt::format("task {} has a lease until {}, which is shorter than was asked for",
                                  task["id"].get<std::string>(), said));
}

// A task is held from the answer on, also while the worker works on another task of the same claim.
void Worker::work_on(const json& task, Time asked_at, Time received_at) {
  const Time began_at = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds{1 + client_.chance.below(10)});
  const std::string id = task["id"];
  const auto fence = task["lease"]["fence"].get<std::int64_t>();
  json answer{{"task_id", id}, {"fence", fence}, {"action", "complete"}, {"output", fence}};
  const bool is_last = text_of(task, "type") == std::string{"wf."} + kLastOfRun;
  const bool must_fail = is_last && task["payload"].value(kMustFail, false);
  const auto lot = client_.chance.below(100);
  const bool dies = lot < 3;
  const bool is_late = lot >= 3 && lot < 6;
  const bool fails = must_fail || (lot >= 6 && lot < 12);
  if (fails)
    answer = {{"task_id", id},
              {"fence", fence},
              {"action", "fail"},
              {"error", {{"code", "chaos"}, {"message", "as told"}, {"retryable", !must_fail}}}};
  const Time reports_at = dies || is_late ? Time::max() : std::chrono::steady_clock::now();
  ledger_.held({.task = id,
                .fence = fence,
                .queue = text_of(task, "queue"),
                .type = text_of(task, "type"),
                .key = text_of(task, "key"),
                .from = received_at,
                .until = std::min<Time>(reports_at, asked_at + kLease)});
  if (dies) return ledger_.abandoned(id, began_at + kLease);
  if (is_late)
    return late_.push_back({.report = answer, .claimed_at = received_at, .due = began_at + kSurelyOver});
  const auto was_taken = report(answer);
  if (!was_taken)
    return ledger_.violation(Harm::wrong, fmt::format("a report on task {} was never answered", id));
  if (!*was_taken) return ledger_.count("reports that found the lease gone");
  if (!fails) ledger_.completed(id, fence);
}

void Worker::report_late_ones() {
  while (!late_.empty() && late_.front().due <= std::chrono::steady_clock::now()) {
    const Late late = late_.front();
    late_.pop_front();
    ledger_.reported_late(late.report["task_id"], late.claimed_at, report(late.report).value_or(false));
  }
}

std::optional<bool> Worker::report(const json& report) {
  const auto answer = client_.insist({.method = "POST",
                                      .path = "/default/tasks/report",
                                      .body = {{"worker_id", name_}, {"reports", json::array({report})}}},
                                     patience());
  if (!answer) return std::nullopt;
  if (answer->status != 200) ledger_.violation(Harm::wrong, "a report was refused: " + answer->body.dump());
  if (answer->status != 200) return std::nullopt;
  const bool was_taken = answer->body["results"][0]["ok"].get<bool>();
  if (was_taken) ledger_.acknowledged(answer->asked_at);
  return was_taken;
}

}  // namespace pawl::chaos
