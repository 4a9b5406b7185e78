#pragma once
// Filters of runs and tasks: the flags that say which, lists of those, and one action on all of them.

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

// A flag that narrows down what is meant, and the name of it in the API.
struct FilterFlag {
  Flag flag;
  std::string field;
};

// The filters, and what else a list takes.
[[nodiscard]] std::vector<Flag> list_flags(const std::vector<FilterFlag>& filters);
// How many to list: --limit, or 0 with --all.
[[nodiscard]] core::Result<std::int64_t> list_limit(const Input& input);
// The filters that were given, as the query of a list: "&state=failed&…".
[[nodiscard]] std::string filter_query(const Input& input, const std::vector<FilterFlag>& filters);

// The filters, and what else a bulk action takes.
[[nodiscard]] std::vector<Flag> bulk_flags(const std::string& noun, const std::vector<FilterFlag>& filters);

struct BulkAction {
  std::string noun;  // "run"
  std::string verb;  // "retry"
  std::vector<FilterFlag> filters;
  std::optional<std::string> reason = {};  // where the API takes one
};
// Does it to all that the filters find, and says how many those were.
[[nodiscard]] core::Status act_on_many(Session& session, Context& context, const Input& input,
                                       const BulkAction& action);

}  // namespace pawl::cli
