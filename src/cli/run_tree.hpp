#pragma once
// Formats a run as a tree of its tasks for a terminal. Pure: takes the server's response and the time,
// returns lines.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "core/base/time.hpp"

namespace pawl::cli {

struct RunTree {
  Json run = Json::object();                     // with its tasks
  std::map<std::string, RunTree> children = {};  // by run id; only the fetched ones
};

// The ids of the child runs of a run.
[[nodiscard]] std::vector<std::string> child_ids(const Json& run);

struct TreeStyle {
  bool colours = false;
  std::size_t width = 100;  // of a line, in characters
};
[[nodiscard]] std::vector<std::string> tree_lines(const RunTree& tree, core::TimePoint now, TreeStyle style);

// The color of a run's or a task's state.
[[nodiscard]] Colour colour_of_state(std::string_view state);

}  // namespace pawl::cli
