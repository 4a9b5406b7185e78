// pawl audit: lists and exports the audit log.

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/bulk.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

constexpr std::string_view kAudit = "/v1/admin/audit";

std::string audit_query(const Input& input) {
  constexpr std::array<std::pair<const char*, const char*>, 7> kFilters{
      {{"--for", "namespace"},
       {"--actor", "actor"},
       {"--action", "action"},
       {"--object", "object"},
       {"--outcome", "outcome"},
       {"--created-after", "created_after"},
       {"--created-before", "created_before"}}};
  std::string query;
  for (const auto& [flag, name] : kFilters) {
    if (input.has(flag)) query += fmt::format("&{}={}", name, client::percent_encoded(input.text(flag)));
  }
  return query;
}

int list_audit(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    std::vector<std::vector<Cell>> rows;
    const auto limit = list_limit(input);
    if (!limit) return limit.problem();
    const auto take = [&](std::string_view item) {
      if (input.has("--json")) return context.out.line(client::one_line(item));
      const Json entry = Json::parse(item);
      const std::string outcome = text_at(entry, "outcome");
      rows.push_back({{.text = text_at(entry, "at")},
                      {.text = text_at(entry, "namespace")},
                      {.text = text_at(entry, "actor")},
                      {.text = text_at(entry, "role")},
                      {.text = text_at(entry, "action")},
                      {.text = shortened(text_at(entry, "object"), kNameWidth)},
                      {.text = outcome, .colour = outcome == "ok" ? Colour::none : Colour::yellow}});
    };
    const auto listed = each_item(session, std::string{kAudit}, audit_query(input), *limit, take);
    if (!listed || input.has("--json")) return listed;
    context.out.table({{"AT"}, {"NAMESPACE"}, {"ACTOR"}, {"ROLE"}, {"ACTION"}, {"OBJECT"}, {"OUTCOME"}},
                      rows);
    return core::Done{};
  });
}

// Prints whole entries, the newest first, with the hashes that chain them.
int export_audit(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) {
    return each_item(session, std::string{kAudit}, audit_query(input), 0,
                     [&](std::string_view item) { context.out.line(client::one_line(item)); });
  });
}

std::vector<Flag> audit_flags(std::vector<Flag> more) {
  std::vector<Flag> flags{
      {.name = "--for", .value = "NAMESPACE", .summary = "Only entries of this namespace"},
      {.name = "--actor", .value = "ID", .summary = "Only by this token"},
      {.name = "--action",
       .value = "NAME",
       .summary = "Only this action, such as token.create, or a prefix such as token.*"},
      {.name = "--object", .value = "NAME", .summary = "Only on this object"},
      {.name = "--outcome", .value = "CODE", .summary = "Only this outcome: ok or an error code"},
      {.name = "--created-after",
       .value = "TIME",
       .summary = "Only at this time or later",
       .kind = ValueKind::time},
      {.name = "--created-before",
       .value = "TIME",
       .summary = "Only before this time",
       .kind = ValueKind::time}};
  flags.insert(flags.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return with_server_flags(std::move(flags));
}

}  // namespace

std::vector<Command> audit_commands() {
  return {{.path = "audit list",
           .summary = "List the audit log, newest first",
           .flags = audit_flags({{.name = "--limit",
                                  .value = "N",
                                  .summary = "At most so many",
                                  .kind = ValueKind::integer,
                                  .fallback = "50"},
                                 {.name = "--all", .summary = "List all", .kind = ValueKind::none}}),
           .example = "pawl audit list --action 'token.*'",
           .handler = list_audit},
          {.path = "audit export",
           .summary = "Print the whole audit log, one JSON object per line",
           .flags = audit_flags({}),
           .example = "pawl audit export --created-after 2026-01-01T00:00:00Z > audit.jsonl",
           .handler = export_audit}};
}

}  // namespace pawl::cli
