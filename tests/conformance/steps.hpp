#pragma once
// Helpers for conformance tests, in addition to those of EngineTest.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/harness.hpp"

namespace pawl::testing {

// The answer of a command that may arrive later, such as a waiting claim's.
class Pending {
 public:
  [[nodiscard]] core::Reply reply() const;
  [[nodiscard]] bool is_answered() const { return !state_->empty(); }
  [[nodiscard]] const core::Result<core::Answer>& answer() const;  // throws if there is none yet
  [[nodiscard]] std::vector<core::Task> tasks() const;             // of a claim
  [[nodiscard]] core::ProblemCode problem() const { return answer().problem().code; }

 private:
  // Shared with the reply, which the engine owns.
  std::shared_ptr<std::vector<core::Result<core::Answer>>> state_ =
      std::make_shared<std::vector<core::Result<core::Answer>>>();
};

[[nodiscard]] Pending submit(DirectNode& node, core::Command command);
// Submits all commands as one group: one transaction.
[[nodiscard]] std::vector<Pending> submit_group(DirectNode& node, std::vector<core::Command> commands);
// Fails the test unless the answer is immediate.
[[nodiscard]] core::Result<core::Answer> run_on(DirectNode& node, core::Command command);
[[nodiscard]] core::Result<core::ReportAnswer> report_to(core::Api& api, const std::string& worker,
                                                         core::Report report,
                                                         const std::string& ns = "default");
[[nodiscard]] std::vector<core::TaskId> ids_of(const std::vector<core::ClaimedTask>& claimed);
[[nodiscard]] std::vector<core::TaskId> ids_of(const std::vector<core::Task>& tasks);
[[nodiscard]] core::Report report_of(const core::Task& task, core::ReportAction action);

class Conformance : public EngineTest {
 public:
  [[nodiscard]] Pending submit(core::Command command) { return testing::submit(node(), std::move(command)); }
  // A claim that waits up to `wait`.
  [[nodiscard]] Pending waiting_claim(core::ClaimTasks claim, core::Duration wait = 20s);
  std::vector<core::Task> claim_for(core::ClaimTasks claim);  // fails the test if it is refused
  core::Task enqueue_keyed(const std::string& key, const std::string& queue = "default");
  core::Task enqueue_to(const std::string& queue, const std::string& type = "t", int priority = 0);
  void set_queue(const std::string& name, core::QueuePatch patch);
  void complete(const core::Task& task);
  core::Task run_to_dead_letter(core::TaskSpec spec);  // by one failed attempt
  core::Task run_to_failed(core::TaskSpec spec);
  // Reads all pages.
  std::vector<core::Task> list(core::TaskQuery query, bool newest_first = false, int limit = 500);
  // Computes a queue's counts from all of its tasks.
  core::QueueCounts recount(const std::string& queue = "default");
  void expect_counts_kept(const std::string& queue = "default");
  // Expects that the report is refused with `code` and changes nothing.
  void expect_refused(const core::TaskId& id, const std::string& worker, core::Report report,
                      core::ProblemCode code);
};

}  // namespace pawl::testing
