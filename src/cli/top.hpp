#pragma once
// pawl top: a live view of queues and workers. A frame needs two snapshots of the server to show rates.

#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "core/base/time.hpp"

namespace pawl::cli {

struct Look {
  core::MonotonicTime at = {};
  Json queues = Json::array();
  Json workers = Json::array();
};

// The lines of a frame. Rates are "-" without an earlier snapshot.
[[nodiscard]] std::vector<std::string> frame_lines(const std::optional<Look>& before, const Look& now,
                                                   bool colours);
// The same as one line of JSON, with the queues and workers unchanged from the server. Rates are null without
// an earlier snapshot.
[[nodiscard]] std::string frame_json(const std::optional<Look>& before, const Look& now);

}  // namespace pawl::cli
