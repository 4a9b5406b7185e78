// Options of the runtime: the maximum payload, and the time until a silent worker counts as lost.

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

class RuntimeOptions : public RuntimeTest {};

TEST_P(RuntimeOptions, LimitThePayloadOfATask) {
  RunningNode node{open(), {.api = {.payload_max = 10}}};
  const auto enqueue = [&](std::size_t size) {
    return node.api().enqueue("default",
                              {.type = "t", .payload = {"\"" + std::string(size - 2, 'x') + "\""}});
  };
  EXPECT_TRUE(enqueue(9).ok());
  EXPECT_TRUE(enqueue(10).ok());
  EXPECT_EQ(enqueue(11).problem().code, core::ProblemCode::payload_too_large);
  ASSERT_TRUE(node.api().put_namespace({.patch = {.payload_max = {1'000}}}).ok());
  ASSERT_TRUE(eventually([&] { return node.api().get_namespace("default")->payload_max == 1'000; }));
  EXPECT_FALSE(enqueue(11).ok()) << "a namespace may have less, never more";
}

TEST_P(RuntimeOptions, SetTheTimeoutOfAWorker) {
  RunningNode node{open(), {.api = {.worker_timeout = 200ms}}};
  const auto worker = node.api().register_worker({.hostname = "h", .pid = 1});
  ASSERT_TRUE(worker.ok());
  const auto status = [&] { return node.api().get_worker("default", worker->worker_id)->status; };
  EXPECT_TRUE(eventually([&] { return status() == core::WorkerStatus::offline; }));
  ASSERT_TRUE(node.api().heartbeat_worker({.worker_id = worker->worker_id}).ok());
  EXPECT_TRUE(eventually([&] { return status() == core::WorkerStatus::offline; })) << "and again";
}

PAWL_ON_EVERY_STORE(RuntimeOptions);

}  // namespace pawl::testing
