#pragma once
// How runs and nodes stand in text columns of both databases. What has a column of its own (a run's state,
// sequence, deadline and output; a node's key, state, timer and output) is not in the text.
//
// What is decoded may have been damaged: each `decode` returns why it cannot be read, or an empty text.

#include <string>
#include <string_view>

#include "store/runs.hpp"

namespace pawl::store {

[[nodiscard]] std::string encode_run_facts(const core::RunFacts& facts);
[[nodiscard]] std::string decode_run_facts(std::string_view text, core::RunFacts& facts);

[[nodiscard]] std::string encode_run_standing(const core::Run& run);
[[nodiscard]] std::string decode_run_standing(std::string_view text, core::Run& run);

[[nodiscard]] std::string encode_node(const core::Node& node);
[[nodiscard]] std::string decode_node(std::string_view text, core::Node& node);

[[nodiscard]] std::string decode_run_state(std::string_view name, core::RunState& state);
[[nodiscard]] std::string decode_node_state(std::string_view name, core::NodeState& state);

// The columns of a run as they are stored.
struct RunTexts {
  std::string_view facts;
  std::string_view state;
  std::string_view standing;
};
// Into the run; what cannot be read is its misfit.
void decode_run(const RunTexts& texts, StoredRun& stored);
// A node that cannot be read, as an error that ends the group.
[[noreturn]] void refuse_node(core::NodeKey key, const std::string& why);

// Fills in the data of an event from its payload.
void decode_payload(StoredEvent& stored);

// What stands for the line of a task that its run holds: no key has a control character.
[[nodiscard]] std::string held_line(const core::TaskId& id);

}  // namespace pawl::store
