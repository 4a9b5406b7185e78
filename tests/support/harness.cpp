#include "tests/support/harness.hpp"

#include <stdexcept>
#include <utility>

namespace pawl::testing {

DirectNode::DirectNode(std::shared_ptr<store::Store> store, core::Clock& clock, std::uint64_t seed)
    : random_(seed),
      store_(std::move(store)),
      engine_(std::make_unique<engine::Engine>(*store_, clock, random_)),
      api_(*store_, clock, random_, [this](core::Command command, core::Reply reply) {
        submit(std::move(command), std::move(reply));
      }) {}

void DirectNode::submit(core::Command command, core::Reply reply) {
  if (const core::Status valid = core::check(command); !valid) return reply(valid.problem());
  std::vector<engine::Request> group;
  group.push_back({.command = std::move(command), .reply = std::move(reply)});
  engine_->execute(std::move(group));
}

namespace {
SeededRandom& store_random() {
  static SeededRandom random{7};  // jitter of waits and reconnects only: no result depends on it
  return random;
}
}  // namespace

namespace {

MakeFront& make_front() {
  static MakeFront make = nullptr;
  return make;
}

}  // namespace

void EngineTest::put_in_front(MakeFront make) { make_front() = make; }

EngineTest::EngineTest() : database_(GetParam()) {
  node_ = std::make_unique<DirectNode>(database_.open(clock, store_random()), clock, 1);
  if (make_front() != nullptr) front_ = make_front()(*node_, clock);
}

std::unique_ptr<DirectNode> EngineTest::another_node(std::uint64_t seed) {
  std::shared_ptr<store::Store> store =
      GetParam() == StoreKind::memory ? node_->store() : database_.open(clock, store_random());
  return std::make_unique<DirectNode>(std::move(store), clock, seed);
}

core::Task EngineTest::enqueue(core::TaskSpec spec) {
  auto enqueued = api().enqueue("default", std::move(spec));
  if (!enqueued) throw std::runtime_error{"enqueue was refused: " + enqueued.problem().detail};
  return std::move(enqueued->task);
}

std::vector<core::ClaimedTask> EngineTest::claim(const std::string& worker, int max, core::Duration lease) {
  auto claimed = api().claim({.worker_id = worker, .max = max, .lease = lease});
  if (!claimed) throw std::runtime_error{"claim was refused: " + claimed.problem().detail};
  return std::move(*claimed);
}

core::Task EngineTest::claim_one(const std::string& worker, core::Duration lease) {
  auto claimed = claim(worker, 1, lease);
  if (claimed.empty()) throw std::runtime_error{"there was nothing to claim"};
  return std::move(claimed.front().task);
}

core::Result<core::ReportAnswer> EngineTest::report(const core::Task& task, core::ReportAction action) {
  return report(task.lease->worker_id, {.task_id = task.id, .fence = task.lease->fence, .action = action});
}

core::Result<core::ReportAnswer> EngineTest::report(const std::string& worker, core::Report report) {
  core::ReportTasks command{.worker_id = worker};
  command.reports.push_back(std::move(report));
  auto answers = api().report(std::move(command));
  if (!answers) return answers.problem();
  return answers->front();
}

core::Result<core::ReportAnswer> EngineTest::fail(const core::Task& task, const std::string& code,
                                                  bool retryable) {
  return report(task.lease->worker_id,
                {.task_id = task.id,
                 .fence = task.lease->fence,
                 .action = core::ReportAction::fail,
                 .error = {.code = code, .message = "it went wrong", .retryable = retryable}});
}

core::TaskWithAttempts EngineTest::get(const core::TaskId& id) {
  auto found = api().get_task("default", id);
  if (!found) throw std::runtime_error{"get was refused: " + found.problem().detail};
  return std::move(*found);
}

core::Queue EngineTest::queue(const std::string& name) {
  const auto queues = api().list_queues("default");
  if (!queues) throw std::runtime_error{"list was refused: " + queues.problem().detail};
  for (const core::Queue& one : *queues) {
    if (one.name == name) return one;
  }
  throw std::runtime_error{"there is no queue " + name};
}

void EngineTest::tick() {
  engine::TickResult result;
  do {
    result = engine().sweeper().tick(100);
  } while (result.leases + result.promoted + result.woken > 0);
}

core::TaskSpec task_of(const std::string& type, const std::string& payload) {
  core::TaskSpec spec;
  spec.type = type;
  spec.payload = {payload};
  return spec;
}

}  // namespace pawl::testing
