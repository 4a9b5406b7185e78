#pragma once
// One request from a client or worker to a node, and its response.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/time.hpp"
#include "core/task/command.hpp"

namespace pawl::sim {

struct Call {
  // Receives the answer, or nullptr if no response arrives and the outcome is unknown.
  using Done = std::function<void(const core::Result<core::Answer>*)>;

  std::uint64_t number = 0;
  int node = 0;
  core::Command command = {};
  core::Duration patience{};  // the caller's timeout
  Done done = {};
  bool is_over = false;     // the caller has its answer or has timed out
  bool has_answer = false;  // the engine has answered
  bool is_done = false;     // and did so before the current transaction
  bool is_committed = false;
  std::optional<core::Answer> expected = {};  // the model's answer, once the call is committed

  [[nodiscard]] bool is_claim() const { return std::holds_alternative<core::ClaimTasks>(command); }
};
// Shared by the node, the network's events and the checker.
using CallPtr = std::shared_ptr<Call>;

}  // namespace pawl::sim
