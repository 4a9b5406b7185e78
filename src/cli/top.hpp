#pragma once
// pawl top: a live view of queues and workers. A frame is made from two looks at the server, so that it can
// show rates.

#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "core/time.hpp"

namespace pawl::cli {

struct Look {
  core::MonotonicTime at = {};
  Json queues = Json::array();
  Json workers = Json::array();
};

// The lines of a frame; rates are "-" without a look before.
[[nodiscard]] std::vector<std::string> frame_lines(const std::optional<Look>& before, const Look& now,
                                                   bool colours);
// The same as JSON on one line, the queues and workers as the server gave them; rates are null without a look
// before.
[[nodiscard]] std::string frame_json(const std::optional<Look>& before, const Look& now);

}  // namespace pawl::cli
