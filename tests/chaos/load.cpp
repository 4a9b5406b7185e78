#include "tests/chaos/load.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "tests/chaos/worker.hpp"

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;

constexpr int kAdders = 2;
constexpr int kWorkers = 6;
constexpr std::uint64_t kKeys = 6;  // entities

// Lost attempts are retried without limit: the campaign checks that no work stays undone.
const json& retry_for_ever() {
  static const json retry{{"max_attempts", -1}, {"initial_interval", "50ms"}, {"max_interval", "500ms"}};
  return retry;
}

json definition() {
  const auto activity = [](const char* id, const json& after) {
    return json{
        {"id", id}, {"activity", std::string{"wf."} + id}, {"after", after}, {"retry", retry_for_ever()}};
  };
  json first = activity("first", json::array());
  first["compensate"] = "undo";
  const json undo{
      {"id", "undo"}, {"type", "compensation"}, {"activity", "wf.undo"}, {"retry", retry_for_ever()}};
  return {{"name", kWorkflow},
          {"tasks",
           {first, activity("left", {"first"}), activity("right", {"first"}),
            activity(Worker::kLastOfRun, {"left", "right"}), undo}}};
}

}  // namespace

Time patience() { return std::chrono::steady_clock::now() + 60s; }

Load::Load(const Cluster& cluster, Ledger& ledger, CallCounts& counts, std::uint64_t seed)
    : cluster_(cluster), ledger_(ledger), counts_(counts), seeds_(seed) {}

Load::~Load() { stop(); }

void Load::prepare() {
  Client client{cluster_, counts_, next_seed()};
  const auto must = [&](const Ask& ask) {
    const auto answer = client.insist(ask, patience());
    if (!answer || answer->status >= 300)
      throw std::runtime_error{ask.path + ": " + (answer ? answer->body.dump() : "no answer")};
  };
  must({.method = "PUT",
        .path = fmt::format("/default/queues/{}", kLimitedQueue),
        .body = {{"max_concurrency", kLimitedMax}, {"type_concurrency", {{kNarrowType, kNarrowMax}}}}});
  must({.method = "PUT", .path = fmt::format("/default/definitions/{}", kWorkflow), .body = definition()});
  for (const char* name : kSchedules) {
    must({.method = "POST",
          .path = "/default/schedules",
          .body = {{"name", name},
                   {"every", "1s"},
                   {"task", {{"type", "slot"}, {"retry", retry_for_ever()}}},
                   {"max_catchup", 1'000}},
          .once = name});
  }
}

void Load::start() {
  for (int i = 0; i < kAdders; ++i) adders_.emplace_back([this, i] { add_until_stopped(i); });
  adders_.emplace_back([this] { start_runs_until_stopped(); });
  for (int i = 0; i < kWorkers; ++i) {
    others_.emplace_back([this, i, seed = next_seed()] {
      Worker{{cluster_, counts_, ledger_}, seed, fmt::format("worker-{}", i)}.work_until(is_over_);
    });
  }
  others_.emplace_back([this] { watch_until_stopped(); });
}

void Load::stop_adding() {
  is_adding_ = false;
  for (std::thread& thread : adders_) thread.join();
  adders_.clear();
}

void Load::stop() {
  stop_adding();
  is_over_ = true;
  for (std::thread& thread : others_) thread.join();
  others_.clear();
}

void Load::add_until_stopped(int number) {
  Client client{cluster_, counts_, next_seed()};
  for (int i = 0; is_adding_; ++i) {
    const std::string name = fmt::format("{}/{}", number, i);
    if (client.chance.chance(0.1)) {
      add_batch(client, name);
    } else {
      add_one(client, name);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5 + client.chance.below(20)});
  }
}

// Four kinds: plain, with an entity key, under concurrency limits, and with an Idempotency-Key header instead
// of an idempotency key.
void Load::add_one(Client& client, const std::string& name) {
  json task{{"type", "plain"}, {"payload", name}, {"retry", retry_for_ever()}};
  std::string once;
  const auto lot = client.chance.below(100);
  if (lot < 20) {
    task["key"] = fmt::format("entity-{}", client.chance.below(kKeys));
  } else if (lot < 23) {  // few, since a worker that dies holds the only slot until its lease expires
    task["type"] = kNarrowType;
    task["queue"] = kLimitedQueue;
  } else if (lot < 33) {
    task["type"] = "wide";
    task["queue"] = kLimitedQueue;
  } else if (lot < 45) {
    once = "call/" + name;
  } else if (lot < 60) {
    task["delay"] = "300ms";
  }
  if (once.empty()) task["idempotency_key"] = name;
  const auto answer =
      client.insist({.method = "POST", .path = "/default/tasks", .body = task, .once = once}, patience());
  if (!answer || answer->status >= 300)
    return ledger_.violation(
        Harm::wrong, fmt::format("an enqueue was refused: {}", answer ? answer->body.dump() : "no answer"));
  ledger_.acknowledged(answer->asked_at);
  ledger_.enqueued(answer->body["task"]["id"]);
  ledger_.count("enqueues");
}

void Load::add_batch(Client& client, const std::string& name) {
  json tasks = json::array();
  for (int i = 0; i < 10; ++i)
    tasks.push_back(
        {{"type", "plain"}, {"idempotency_key", fmt::format("{}/{}", name, i)}, {"retry", retry_for_ever()}});
  const auto answer = client.insist(
      {.method = "POST", .path = "/default/tasks/batch", .body = {{"tasks", tasks}}}, patience());
  if (!answer || answer->status >= 300)
    return ledger_.violation(
        Harm::wrong, fmt::format("a batch was refused: {}", answer ? answer->body.dump() : "no answer"));
  ledger_.acknowledged(answer->asked_at);
  for (const json& one : answer->body["results"]) ledger_.enqueued(one["id"]);
  ledger_.count("batches");
}

void Load::start_runs_until_stopped() {
  Client client{cluster_, counts_, next_seed()};
  for (int i = 0; is_adding_; ++i) {
    const bool must_fail = i % 3 == 2;
    const auto answer =
        client.insist({.method = "POST",
                       .path = fmt::format("/default/workflows/{}/start", kWorkflow),
                       .body = {{"run_key", std::to_string(i)}, {"input", {{Worker::kMustFail, must_fail}}}}},
                      patience());
    if (!answer || answer->status >= 300)
      return ledger_.violation(
          Harm::wrong, fmt::format("a start was refused: {}", answer ? answer->body.dump() : "no answer"));
    ledger_.acknowledged(answer->asked_at);
    ledger_.started(answer->body["run"]["id"], must_fail);
    std::this_thread::sleep_for(150ms);
  }
}

// Polls the store's own count of held tasks.
void Load::watch_until_stopped() {
  Client client{cluster_, counts_, next_seed()};
  while (!is_over_) {
    const auto answer = client.try_once(client.any_node(), {.path = "/default/queues"});
    for (const json& queue : answer ? answer->body.value("items", json::array()) : json::array()) {
      if (queue["name"] != kLimitedQueue) continue;
      const auto held =
          queue["counts"]["claimed"].get<std::int64_t>() + queue["counts"]["running"].get<std::int64_t>();
      ledger_.count("looks at the counts of a limited queue");
      if (held > kLimitedMax)
        ledger_.violation(Harm::wrong,
                          fmt::format("{} tasks were held in a queue for {}", held, kLimitedMax));
    }
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace pawl::chaos
