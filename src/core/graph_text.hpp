#pragma once
// A definition as a drawing: Mermaid for documents and dashboards, DOT for Graphviz. With the states of a run
// or without.

#include <span>
#include <string>

#include "core/definition.hpp"

namespace pawl::core {

// `states` has one for each task, in order; or none at all.
[[nodiscard]] std::string mermaid_text(const Definition& definition,
                                       std::span<const std::string> states = {});
[[nodiscard]] std::string dot_text(const Definition& definition, std::span<const std::string> states = {});

}  // namespace pawl::core
