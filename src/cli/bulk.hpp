#pragma once
// Filters of runs and tasks: their flags, lists of the matches, and one action on all matches.

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

// A filter flag, and the name of its field in the API.
struct FilterFlag {
  Flag flag;
  std::string field;
};

// The filters and the other flags of a list command.
[[nodiscard]] std::vector<Flag> list_flags(const std::vector<FilterFlag>& filters);
// The value of --limit; 0 with --all.
[[nodiscard]] core::Result<std::int64_t> list_limit(const Input& input);
// The given filters as the query of a list: "&state=failed&…".
[[nodiscard]] std::string filter_query(const Input& input, const std::vector<FilterFlag>& filters);

// The filters and the other flags of a bulk action.
[[nodiscard]] std::vector<Flag> bulk_flags(const std::string& noun, const std::vector<FilterFlag>& filters);

struct BulkAction {
  std::string noun;  // "run"
  std::string verb;  // "retry"
  std::vector<FilterFlag> filters;
  std::optional<std::string> reason = {};  // if the API accepts one
};
// Applies the action to all matches and prints their number.
[[nodiscard]] core::Status act_on_many(Session& session, Context& context, const Input& input,
                                       const BulkAction& action);

}  // namespace pawl::cli
