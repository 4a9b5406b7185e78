#pragma once
// How runs and nodes stand in text columns of both databases. What has a column of its own (a run's state,
// sequence, deadline and output; a node's key, state, timer and output) is not in the text.

#include <string>
#include <string_view>

#include "store/runs.hpp"

namespace pawl::store {

[[nodiscard]] std::string encode_run_facts(const core::RunFacts& facts);
[[nodiscard]] core::RunFacts decode_run_facts(std::string_view text);

[[nodiscard]] std::string encode_run_standing(const core::Run& run);
void decode_run_standing(std::string_view text, core::Run& run);

[[nodiscard]] std::string encode_node(const core::Node& node);
void decode_node(std::string_view text, core::Node& node);

[[nodiscard]] core::RunState run_state_of(std::string_view name);
[[nodiscard]] core::NodeState node_state_of(std::string_view name);

// Fills in the data of an event from its payload.
void decode_payload(StoredEvent& stored);

// What stands for the line of a task that its run holds: no key has a control character.
[[nodiscard]] std::string held_line(const core::TaskId& id);

}  // namespace pawl::store
