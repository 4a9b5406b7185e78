#pragma once
// Encodes runs and nodes as text columns for both databases. Values with a column of their own (a run's
// state, sequence, deadline and output; a node's key, state, timer and output) are not in the text.
//
// The stored text may be damaged: each `decode` returns why it cannot be read, or an empty string.

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

// The stored columns of a run.
struct RunTexts {
  std::string_view facts;
  std::string_view state;
  std::string_view standing;
};
// Decodes into `stored.run`; sets `stored.misfit` if a column cannot be read.
void decode_run(const RunTexts& texts, StoredRun& stored);
// Throws the error for an unreadable node, which ends the group.
[[noreturn]] void refuse_node(core::NodeKey key, const std::string& why);

// Fills in the data of an event from its payload.
void decode_payload(StoredEvent& stored);

// The line name for a task that its run holds. It starts with a control character, which no key contains.
[[nodiscard]] std::string held_line(const core::TaskId& id);

}  // namespace pawl::store
