#pragma once
// A run as a tree of its tasks, the way a terminal shows it. Pure: what the server said and the time go in,
// lines come out.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "core/time.hpp"

namespace pawl::cli {

struct RunTree {
  Json run = Json::object();                     // with its tasks
  std::map<std::string, RunTree> children = {};  // by the id of the run; those that were looked at
};

// The ids of the child runs of a run.
[[nodiscard]] std::vector<std::string> child_ids(const Json& run);

struct TreeStyle {
  bool colours = false;
  std::size_t width = 100;  // of a line, in characters
};
[[nodiscard]] std::vector<std::string> tree_lines(const RunTree& tree, core::TimePoint now, TreeStyle style);

// Of a run's or a task's state.
[[nodiscard]] Colour colour_of_state(std::string_view state);

}  // namespace pawl::cli
