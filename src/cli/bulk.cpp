#include "cli/bulk.hpp"

#include <fmt/format.h>

#include "cli/payload.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

bool is_switch(const FilterFlag& filter) { return filter.flag.kind == ValueKind::none; }

// The value in the form of the API.
std::string value_of(const FilterFlag& filter, const Input& input) {
  if (is_switch(filter)) return "true";
  const std::string value = input.text(filter.flag.name);
  return filter.field == "label" ? label_filter(value) : value;
}

core::Result<std::string> body_of(const Input& input, const BulkAction& action) {
  client::ObjectText filter;
  bool has_filter = input.has("--all");
  for (const FilterFlag& one : action.filters) {
    if (!input.has(one.flag.name)) continue;
    is_switch(one) ? filter.raw(one.field, "true") : filter.text(one.field, value_of(one, input));
    has_filter = true;
  }
  if (!has_filter) {
    return core::invalid_field(
        "ID", fmt::format("is required unless a filter such as {} is given; --all selects every {}",
                          action.filters.at(1).flag.name, action.noun));
  }
  client::ObjectText body;
  body.raw("filter", filter.str()).number("limit", input.integer("--limit"));
  if (action.reason) body.text("reason", *action.reason);
  if (input.has("--dry-run")) body.raw("dry_run", "true");
  return body.str();
}

std::vector<Flag> flags_of(const std::vector<FilterFlag>& filters) {
  std::vector<Flag> flags;
  for (const FilterFlag& filter : filters) flags.push_back(filter.flag);
  return flags;
}

}  // namespace

std::vector<Flag> list_flags(const std::vector<FilterFlag>& filters) {
  std::vector<Flag> flags = flags_of(filters);
  flags.insert(flags.end(), {{.name = "--order",
                              .value = "ORDER",
                              .summary = "Order by creation time",
                              .kind = ValueKind::choice,
                              .choices = {"asc", "desc"}},
                             {.name = "--limit",
                              .value = "N",
                              .summary = "Maximum number of items",
                              .kind = ValueKind::integer,
                              .fallback = "50"},
                             {.name = "--all", .summary = "All of them", .kind = ValueKind::none}});
  return flags;
}

core::Result<std::int64_t> list_limit(const Input& input) {
  if (input.has("--all")) return std::int64_t{0};
  const auto limit = input.integer("--limit");
  if (limit < 1) return core::invalid_field("--limit", "must be 1 or more; --all lists all");
  return limit;
}

std::string filter_query(const Input& input, const std::vector<FilterFlag>& filters) {
  std::string query;
  for (const FilterFlag& filter : filters) {
    if (input.has(filter.flag.name))
      query += fmt::format("&{}={}", filter.field, client::percent_encoded(value_of(filter, input)));
  }
  return query;
}

std::vector<Flag> bulk_flags(const std::string& noun, const std::vector<FilterFlag>& filters) {
  std::vector<Flag> flags = flags_of(filters);
  flags.insert(flags.end(),
               {{.name = "--all",
                 .summary = fmt::format("All {}s; required if there is no filter", noun),
                 .kind = ValueKind::none},
                {.name = "--dry-run", .summary = "Only print the number of matches", .kind = ValueKind::none},
                {.name = "--limit",
                 .value = "N",
                 .summary = "Maximum number of items",
                 .kind = ValueKind::integer,
                 .fallback = "1000"}});
  return flags;
}

core::Status act_on_many(Session& session, Context& context, const Input& input, const BulkAction& action) {
  const auto body = body_of(input, action);
  if (!body) return body.problem();
  const auto answer = session.post(fmt::format("/{}s/{}", action.noun, action.verb), *body);
  return print_answer(context, input, answer, [&](const Json& json) {
    const std::string matched = fmt::format("{} {}s match", text_at(json, "matched"), action.noun);
    context.out.line(input.has("--dry-run")
                         ? matched + "; nothing was changed"
                         : fmt::format("{}, {} changed", matched, text_at(json, "changed")));
  });
}

}  // namespace pawl::cli
