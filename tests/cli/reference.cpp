#include "tests/cli/reference.hpp"

#include <span>

#include <fmt/format.h>

#include "cli/help.hpp"
#include "core/problem.hpp"
#include "wire/routes.hpp"

namespace pawl::testing {

namespace {

constexpr std::string_view kMade = "<!-- Made by ./dev docs: do not edit. -->\n";

// A cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void add_fields(std::string& page, std::string_view where, std::span<const wire::Field> fields) {
  if (fields.empty()) return;
  page += fmt::format("\n| {} | type | |\n|---|---|---|\n", where);
  for (const wire::Field& field : fields) {
    page += fmt::format("| `{}`{} | {} | {} |\n", field.name, field.is_required ? " (required)" : "",
                        field.type, cell(field.about));
  }
}

void add_route(std::string& page, const wire::Route& route) {
  page += fmt::format("\n### {} {}\n{}. Role: {}.\n", wire::name_of(route.method), route.path, route.summary,
                      route.role ? core::to_string(*route.role) : "none");
  add_fields(page, "body", route.body);
  add_fields(page, "query", route.query);
  page += fmt::format("\nAnswer: {}\n", route.answer);
}

void add_command(std::string& page, const cli::CommandTable& table, const std::string& path) {
  page += fmt::format("\n## pawl {}\n```\n{}```\n", path, cli::help_text(table, path));
}

}  // namespace

std::string http_reference() {
  std::string page{kMade};
  page +=
      "# Every call over HTTP\n"
      "Durations are strings such as `30s`, times RFC 3339 in UTC; `json` is any JSON value, kept byte for "
      "byte.\n"
      "A field or query parameter that is not listed is refused by name. The same is at `/openapi.json` for "
      "programs.\n"
      "\n## Problems\nRefusals are `application/problem+json` with `title`, `status`, `code`, `detail`, "
      "`request_id` and `errors`.\n"
      "\n| code | status | title |\n|---|---|---|\n";
  for (const auto& kind : core::kProblemKinds) {
    page += fmt::format("| {} | {} | {} |\n", kind.name, kind.http_status, kind.title);
  }
  page += "\n## Calls\n";
  for (const wire::Route& route : wire::routes()) add_route(page, route);
  return page;
}

std::string command_line_reference() {
  const auto table = cli::all_commands();
  std::string page{kMade};
  page += fmt::format("# Every command\n```\n{}```\n", cli::help_text(table, ""));
  for (const auto& first : table.words_after("")) {
    add_command(page, table, first);
    for (const auto& second : table.words_after(first)) add_command(page, table, first + " " + second);
  }
  return page;
}

}  // namespace pawl::testing
