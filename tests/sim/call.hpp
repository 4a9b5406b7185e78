#pragma once
// One request on its way from a client or worker to a node and back.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/command.hpp"
#include "core/time.hpp"

namespace pawl::sim {

struct Call {
  // What the caller hears; nullptr when it hears nothing and has to guess.
  using Done = std::function<void(const core::Result<core::Answer>*)>;

  std::uint64_t number = 0;
  int node = 0;
  core::Command command = {};
  core::Duration patience{};  // how long the caller waits for an answer
  Done done = {};
  bool is_over = false;     // the caller has heard, or has given up
  bool has_answer = false;  // the engine has answered
  bool is_done = false;     // and did so before the present transaction
  bool is_committed = false;
  std::optional<core::Answer> expected = {};  // what the model says, once it is committed

  [[nodiscard]] bool is_claim() const { return std::holds_alternative<core::ClaimTasks>(command); }
};
// Shared by the node, the network's events and the checker: whoever lets go last.
using CallPtr = std::shared_ptr<Call>;

}  // namespace pawl::sim
