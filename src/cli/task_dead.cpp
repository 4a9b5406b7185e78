#include "cli/task_dead.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

void DeadGroups::add(std::string_view task) {
  const auto json = Json::parse(task, nullptr, false);
  const auto error = json.is_object() ? json.value("error", Json::object()) : Json::object();
  const auto code = error.is_object() ? text_at(error, "code") : "";
  const auto type = text_at(json, "type");
  auto found = std::find_if(groups_.begin(), groups_.end(),
                            [&](const DeadGroup& group) { return group.code == code && group.type == type; });
  if (found == groups_.end()) {
    groups_.push_back({.code = code,
                       .type = type,
                       .newest_id = text_at(json, "id"),
                       .newest_message = error.is_object() ? text_at(error, "message") : ""});
    found = groups_.end() - 1;
  }
  ++found->count;
}

std::vector<DeadGroup> DeadGroups::sorted() const {
  auto groups = groups_;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const DeadGroup& a, const DeadGroup& b) { return a.count > b.count; });
  return groups;
}

namespace {

void print_groups(const std::vector<DeadGroup>& groups, const Input& input, Context& context) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& group : groups) {
    if (input.has("--json")) {
      context.out.line(client::ObjectText{}
                           .text("code", group.code)
                           .text("type", group.type)
                           .number("count", group.count)
                           .text("newest_id", group.newest_id)
                           .text("newest_message", group.newest_message)
                           .str());
      continue;
    }
    rows.push_back({{.text = group.code, .colour = Colour::red},
                    {.text = group.type},
                    {.text = std::to_string(group.count)},
                    {.text = group.newest_id},
                    {.text = shortened(group.newest_message, 60)}});
  }
  if (input.has("--json")) return;
  if (rows.empty()) return context.out.line("There are no dead letters.");
  context.out.table({{"ERROR"}, {"TYPE"}, {"COUNT", true}, {"NEWEST"}, {"ITS MESSAGE"}}, rows);
}

int dead(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto limit = input.integer("--limit");
    if (limit < 0) return core::invalid_field("--limit", "must be 0 or more");
    std::string query = "&status=dead_letter";
    if (input.has("--queue")) query += "&queue=" + client::percent_encoded(input.text("--queue"));
    if (input.has("--type")) query += "&type=" + client::percent_encoded(input.text("--type"));
    DeadGroups groups;
    auto listed =
        each_item(session, "/tasks", query, limit, [&](std::string_view task) { groups.add(task); });
    if (listed) print_groups(groups.sorted(), input, context);
    return listed;
  });
}

}  // namespace

Command dead_letters_command() {
  return {.path = "task dead",
          .summary = "Show the dead letters, grouped by error and type",
          .flags = with_server_flags({{.name = "--queue", .value = "NAME", .summary = "Of this queue"},
                                      {.name = "--type", .value = "TYPE", .summary = "Of this type"},
                                      {.name = "--limit",
                                       .value = "N",
                                       .summary = "Look at the newest so many; 0: all",
                                       .kind = ValueKind::integer,
                                       .fallback = "10000"}}),
          .example = "pawl task dead --queue mail",
          .handler = dead};
}

}  // namespace pawl::cli
