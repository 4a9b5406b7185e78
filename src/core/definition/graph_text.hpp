#pragma once
// Draws a definition: as Mermaid for documents and dashboards, as DOT for Graphviz. Optionally with the
// states of a run.

#include <span>
#include <string>

#include "core/definition/definition.hpp"

namespace pawl::core {

// `states` has one entry for each task, in order, or is empty.
[[nodiscard]] std::string mermaid_text(const Definition& definition,
                                       std::span<const std::string> states = {});
[[nodiscard]] std::string dot_text(const Definition& definition, std::span<const std::string> states = {});

}  // namespace pawl::core
