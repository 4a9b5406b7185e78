#include "cli/findings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cli/print.hpp"

namespace pawl::cli {

namespace {

using namespace std::chrono_literals;

constexpr core::Duration kLagMax = 1min;
constexpr core::Duration kSkewMax = 2s;
constexpr core::Duration kStepRecent = 24h;
constexpr core::Duration kTransactionMax = 5min;
constexpr double kExpiredShareMax = 0.05;
constexpr std::int64_t kExpiredMin = 20;  // fewer are not significant
constexpr std::int64_t kDeadRowsMin = 100'000;
constexpr std::int64_t kFreeBytesMin = 64LL << 20;
constexpr std::int64_t kLogBytesMax = 256LL << 20;

Finding warning(std::string check, std::string seen, std::string advice) {
  return {.check = std::move(check),
          .verdict = Verdict::warning,
          .seen = std::move(seen),
          .advice = std::move(advice)};
}

core::Duration duration_at(const Json& object, const char* name) {
  const auto parsed = core::parse_duration(text_at(object, name));
  return parsed ? *parsed : core::Duration{0};
}

const Json& items_of(const Json& object, const char* name) {
  static const Json none = Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : none;
}

std::string size_of(std::int64_t bytes) {
  constexpr double kMebi = 1024.0 * 1024.0;
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMebi);
}

// The sum of a metric over all its labels.
std::int64_t metric(const std::string& text, std::string_view name) {
  double sum = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line{text.data() + begin, end - begin};
    begin = end + 1;
    if (!line.starts_with(name)) continue;
    const std::string_view rest = line.substr(name.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '{')) continue;
    const std::string_view value = line.substr(line.rfind(' ') + 1);
    double number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    sum += number;
  }
  return std::llround(sum);
}

Finding size_finding(const Json& vitals) {
  const std::int64_t bytes = number_at(vitals, "bytes");
  const std::int64_t free_bytes = number_at(vitals, "free_bytes");
  const std::int64_t log_bytes = number_at(vitals, "log_bytes");
  if (log_bytes > kLogBytesMax)
    return warning(
        "size", fmt::format("the write-ahead log has {}", size_of(log_bytes)),
        "a reader that stays open keeps it from being folded in: look for a forgotten shell or backup");
  if (free_bytes > kFreeBytesMin && free_bytes > bytes / 2)
    return warning("size", fmt::format("{}, of which {} are not in use", size_of(bytes), size_of(free_bytes)),
                   "with the server stopped, `sqlite3 FILE 'vacuum'` gives them back to the disk");
  return {.check = "size", .seen = size_of(bytes)};
}

Finding tables_finding(const Json& tables) {
  for (const Json& table : tables) {
    const std::int64_t dead = number_at(table, "dead_rows");
    if (dead < kDeadRowsMin || dead < number_at(table, "rows")) continue;
    return warning("tables",
                   fmt::format("{} has {} dead rows, {}", text_at(table, "name"), dead,
                               size_of(number_at(table, "bytes"))),
                   "let autovacuum run, or `vacuum pawl." + text_at(table, "name") +
                       "`; see `transactions` for what may hold it back");
  }
  if (tables.empty()) return {.check = "tables", .seen = "not counted by this store"};
  const Json& largest = tables.front();
  return {.check = "tables",
          .seen = fmt::format("{}, the largest {} with {}", tables.size(), text_at(largest, "name"),
                              size_of(number_at(largest, "bytes")))};
}

Finding transactions_finding(const Json& vitals) {
  const auto oldest = vitals.find("oldest_transaction");
  if (oldest == vitals.end() || !oldest->is_object())
    return {.check = "transactions", .seen = "none stays open"};
  const core::Duration age = duration_at(*oldest, "age");
  const std::string seen =
      fmt::format("the oldest is open for {}: {}", short_duration(age), text_at(*oldest, "who"));
  if (age <= kTransactionMax)
    return {.check = "transactions", .seen = fmt::format("the oldest is open for {}", short_duration(age))};
  return warning("transactions", seen,
                 "dead rows pile up until it ends: end it, with pg_terminate_backend(pid) if need be");
}

bool takes_from(const Json& worker, const std::string& queue) {
  const auto& queues = items_of(worker, "queues");
  return text_at(worker, "status") == "online" &&
         std::find(queues.begin(), queues.end(), queue) != queues.end();
}

std::int64_t workers_of(const std::string& queue, const Json& workers) {
  const auto& items = items_of(workers, "items");
  return std::count_if(items.begin(), items.end(),
                       [&](const Json& worker) { return takes_from(worker, queue); });
}

// The queue's workers may serve other types, and a program that embeds the engine is not a registered worker.
Finding late_finding(const Json& queue, core::Duration age, std::int64_t workers) {
  const std::string name = text_at(queue, "name");
  const std::string waits = fmt::format("a task of the queue {} waits for {}", name, long_duration(age));
  if (queue.value("paused", false))
    return warning("lag", waits + "; the queue is paused", "`pawl queue set " + name + " --paused=false`");
  if (workers == 0)
    return warning("lag", waits + ", and no worker of it is online",
                   "start one: `pawl worker --queue " + name + " --handle TYPE=COMMAND`");
  return warning("lag", fmt::format("{}, with {} of its workers online", waits, workers),
                 "they may be for other types, or busy, or held back by the limits of `pawl queue list`");
}

}  // namespace

std::vector<Finding> lag_findings(const Json& queues, const Json& workers) {
  core::Duration longest{0};
  std::vector<Finding> late;
  for (const Json& queue : items_of(queues, "items")) {
    const core::Duration age = duration_at(queue, "oldest_pending_age");
    longest = std::max(longest, age);
    if (age > kLagMax) late.push_back(late_finding(queue, age, workers_of(text_at(queue, "name"), workers)));
  }
  if (!late.empty()) return late;
  const bool is_any = longest > 0s;
  return {{.check = "lag",
           .seen = is_any ? fmt::format("the oldest waits {}", short_duration(longest)) : "nothing waits"}};
}

namespace {

bool is_live(const Json& task) {
  const std::string state = text_at(task, "state");
  return state == "waiting" || state == "pending" || state == "running";
}

// The run's body waits for neither a time nor a signal, and no other task of the run is in progress.
bool cannot_wake(const Json& run) {
  bool has_wake = false;
  for (const Json& task : run.value("tasks", Json::array())) {
    const bool is_body = text_at(task, "node_id") == "body" && text_at(run, "kind") == "code";
    const bool is_timed = !task.value("due_at", Json()).is_null() || !task.value("awaits", Json()).is_null();
    has_wake = has_wake || (is_body ? is_timed || text_at(task, "state") != "waiting" : is_live(task));
  }
  return !has_wake;
}

}  // namespace

Finding sleepers_finding(const std::vector<Json>& runs) {
  std::vector<std::string> stuck;
  for (const Json& run : runs) {
    if (cannot_wake(run)) stuck.push_back(text_at(run, "id"));
  }
  if (stuck.empty())
    return {.check = "sleepers",
            .seen = fmt::format("{} sleeping runs looked at, all can wake", runs.size())};
  return {
      .check = "sleepers",
      .verdict = Verdict::failed,
      .seen = fmt::format("nothing can wake {} sleeping runs, the first: {}", stuck.size(), stuck.front()),
      .advice = fmt::format("end it with `pawl run terminate {}`, then run `pawl verify`", stuck.front())};
}

Finding damage_finding(const std::string& metrics) {
  const std::int64_t set_aside = metric(metrics, "pawl_tasks_set_aside_total");
  const std::int64_t parked = metric(metrics, "pawl_runs_parked_total");
  if (parked > 0)
    return {.check = "damage",
            .verdict = Verdict::failed,
            .seen = fmt::format("{} times a run could not be moved on and was parked", parked),
            .advice =
                "the server's log names the runs and why; `pawl run list --state paused` shows them, then "
                "`pawl run resume` or `pawl run terminate`"};
  if (set_aside == 0) return {.check = "damage", .seen = "every claimable task could be read"};
  return {.check = "damage",
          .verdict = Verdict::failed,
          .seen = fmt::format("{} times a task could not be read and was set aside for an hour", set_aside),
          .advice = "`pawl verify` names the damaged rows; the server's log names the tasks"};
}

Finding leases_finding(const std::string& metrics) {
  const std::int64_t expired = metric(metrics, "pawl_leases_expired_total");
  const std::int64_t claimed = metric(metrics, "pawl_tasks_claimed_total");
  // A node also finds expired leases that other nodes granted, so it may count more of them than it granted
  // itself.
  const std::string seen =
      fmt::format("{} expired, while {} tasks were claimed on this node", expired, claimed);
  const bool is_often = expired >= kExpiredMin &&
                        static_cast<double>(expired) > kExpiredShareMax * static_cast<double>(claimed);
  if (!is_often) return {.check = "leases", .seen = seen};
  return warning(
      "leases", seen,
      "workers die, or work longer than their lease without a heartbeat: look at the attempts of such a "
      "task (`pawl task show ID`), then lengthen the lease or send heartbeats");
}

Finding nodes_finding(const Json& nodes) {
  const Json& items = items_of(nodes, "items");
  bool has_leader = false;
  for (const Json& node : items) {
    has_leader = has_leader || node.value("is_leader", false);
    const core::Duration skew = std::chrono::milliseconds{number_at(node, "clock_skew_ms")};
    if (skew <= kSkewMax && -skew <= kSkewMax) continue;
    return warning("nodes",
                   fmt::format("the clock of {} is {} {} the store's", text_at(node, "hostname"),
                               short_duration(skew < 0s ? -skew : skew), skew < 0s ? "behind" : "ahead of"),
                   "let NTP set it; leases go by the store's clock, the node's log lines do not");
  }
  if (!has_leader)
    return warning("nodes", fmt::format("{} nodes, and none leads", items.size()),
                   "one does within the leader's lease (30s); if not, look at their logs");
  return {.check = "nodes", .seen = fmt::format("{}, one of them leads, their clocks agree", items.size())};
}

Finding clock_finding(const Json& vitals) {
  const auto clock = vitals.find("clock");
  const std::int64_t steps =
      clock != vitals.end() && clock->is_object() ? number_at(*clock, "steps") : std::int64_t{0};
  if (steps == 0) return {.check = "store_clock", .seen = "the store's clock was never set"};
  const core::Duration ahead = duration_at(*clock, "ahead");
  const auto last = core::parse_time(text_at(*clock, "last_step_at"));
  const auto now = core::parse_time(text_at(vitals, "now"));
  const std::string seen =
      fmt::format("the store's clock was set {} times ({} back), at most by {}, last at {}", steps,
                  number_at(*clock, "steps_back"), short_duration(duration_at(*clock, "largest_step")),
                  text_at(*clock, "last_step_at"));
  constexpr std::string_view kAdvice =
      "let NTP slew the clock of the store's machine instead of setting it; see \"Clocks\" in the guide to "
      "operations";
  if (ahead > kSkewMax)
    return warning("store_clock",
                   fmt::format("{}; store time is {} ahead of it and runs slower until they agree", seen,
                               short_duration(ahead)),
                   std::string{kAdvice});
  const bool is_recent = last && now && *now - *last < kStepRecent;
  if (is_recent) return warning("store_clock", seen, std::string{kAdvice});
  return {.check = "store_clock", .seen = seen};
}

std::vector<Finding> store_findings(const Json& vitals) {
  return {size_finding(vitals), tables_finding(items_of(vitals, "tables")), transactions_finding(vitals),
          clock_finding(vitals)};
}

}  // namespace pawl::cli
