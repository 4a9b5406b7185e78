#pragma once
// An engine on a store of each kind. The test controls time and randomness, and there are no threads: a call
// returns when its group is committed, and nothing happens between calls.
//
//   using Completion = pawl::testing::EngineTest;
//   TEST_P(Completion, AfterTheLeaseIsOverAnswersStaleLease) { … }
//   PAWL_ON_EVERY_STORE(Completion);

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/api/api.hpp"
#include "engine/engine.hpp"
#include "runtime/local_api.hpp"
#include "tests/support/env.hpp"
#include "tests/support/stores.hpp"

namespace pawl::core {

// Makes failed expectations readable.
inline void PrintTo(ProblemCode code, std::ostream* out) { *out << kind_of(code).name; }
inline void PrintTo(TaskStatus status, std::ostream* out) { *out << to_string(status); }
inline void PrintTo(const TaskId& id, std::ostream* out) { *out << to_string(id); }

}  // namespace pawl::core

namespace pawl::testing {

using namespace std::chrono_literals;

// One node: an engine of its own on a store that other nodes may share, with an Api that executes each call
// immediately.
class DirectNode {
 public:
  // Shared: with the memory kind, all nodes of a test use the same store.
  DirectNode(std::shared_ptr<store::Store> store, core::Clock& clock, std::uint64_t seed);

  [[nodiscard]] core::Api& api() { return api_; }
  [[nodiscard]] runtime::LocalApi& local() { return api_; }
  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] const std::shared_ptr<store::Store>& store() const { return store_; }
  // Checks and executes the command, as a commit loop does with a group of one.
  void submit(core::Command command, core::Reply reply);

 private:
  SeededRandom random_;
  std::shared_ptr<store::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  runtime::LocalApi api_;
};

// An indirect way to a node's engine.
class Front {
 public:
  Front() = default;
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;
  virtual ~Front() = default;
  [[nodiscard]] virtual core::Api& api() = 0;
  [[nodiscard]] virtual core::RunApi& runs() = 0;
};
using MakeFront = std::unique_ptr<Front> (*)(DirectNode& node, core::Clock& clock);

class EngineTest : public ::testing::TestWithParam<StoreKind> {
 public:
  EngineTest();

  [[nodiscard]] core::Api& api() { return front_ ? front_->api() : node_->api(); }
  [[nodiscard]] core::RunApi& runs() { return front_ ? front_->runs() : node_->local(); }
  [[nodiscard]] bool is_over_http() const { return front_ != nullptr; }
  // From now on every call of `api` goes through such a front.
  static void put_in_front(MakeFront make);
  [[nodiscard]] engine::Engine& engine() { return node_->engine(); }
  [[nodiscard]] DirectNode& node() { return *node_; }
  [[nodiscard]] Database& database() { return database_; }
  // Another node on the same database (the same store for the memory kind).
  [[nodiscard]] std::unique_ptr<DirectNode> another_node(std::uint64_t seed);

  // The usual steps; each fails the test if it is refused.
  core::Task enqueue(core::TaskSpec spec);
  std::vector<core::ClaimedTask> claim(const std::string& worker = "w1", int max = 10,
                                       core::Duration lease = 30s);
  core::Task claim_one(const std::string& worker = "w1", core::Duration lease = 30s);
  core::Result<core::ReportAnswer> report(const core::Task& task, core::ReportAction action);
  core::Result<core::ReportAnswer> report(const std::string& worker, core::Report report);
  core::Result<core::ReportAnswer> fail(const core::Task& task, const std::string& code = "boom",
                                        bool retryable = true);
  core::TaskWithAttempts get(const core::TaskId& id);
  core::TaskStatus status_of(const core::TaskId& id) { return get(id).task.status; }
  core::Queue queue(const std::string& name = "default");
  void tick();  // until nothing is due

  ManualClock clock;

 private:
  Database database_;
  std::unique_ptr<DirectNode> node_;
  std::unique_ptr<Front> front_;
};

[[nodiscard]] core::TaskSpec task_of(const std::string& type, const std::string& payload = "{}");

#define PAWL_ON_EVERY_STORE(Suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(Stores, Suite, ::testing::ValuesIn(::pawl::testing::all_store_kinds()), \
                           [](const auto& store) { return ::pawl::testing::to_string(store.param); })

}  // namespace pawl::testing
