#include "tests/cli/reference.hpp"

#include <span>
#include <vector>

#include <fmt/format.h>

#include "cli/help.hpp"
#include "core/base/problem.hpp"
#include "wire/operations.hpp"
#include "wire/routes.hpp"
#include "wire/shapes.hpp"

namespace pawl::testing {

namespace {

constexpr std::string_view kMade = "<!-- Made by ./dev docs: do not edit. -->\n";

// Escapes the text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// A type of wire/shapes.hpp in words.
std::string words_of(std::string_view type) {
  if (type.ends_with('?')) return words_of(type.substr(0, type.size() - 1)) + " or null";
  if (type.starts_with('[')) return "list of " + words_of(type.substr(1, type.size() - 2));
  if (type.starts_with('{')) return "object of " + words_of(type.substr(1, type.size() - 2));
  return std::string{type};
}

void add_fields(std::string& page, std::string_view where, std::span<const wire::Field> fields) {
  if (fields.empty()) return;
  page += fmt::format("\n| {} | type | |\n|---|---|---|\n", where);
  for (const wire::Field& field : fields) {
    page += fmt::format("| `{}`{} | {} | {} |\n", field.name, field.is_required ? " (required)" : "",
                        words_of(field.type), cell(field.about));
  }
}

// The statuses that are not problems, with the shape of each.
std::string answers_of(const wire::Route& route) {
  std::vector<std::string> answers;
  for (const wire::Operation& operation : wire::operations()) {
    if (operation.route != &route || !answers.empty()) continue;
    for (const wire::Success& success : operation.successes) {
      const std::string media = success.media == wire::kJson ? "" : fmt::format(" as {}", success.media);
      answers.push_back(fmt::format("{} {}{}", success.status,
                                    success.type.empty() ? "nothing" : words_of(success.type),
                                    success.type.empty() ? "" : media));
    }
  }
  return fmt::format("{}", fmt::join(answers, ", "));
}

void add_route(std::string& page, const wire::Route& route) {
  page += fmt::format("\n### {} {}\n{}. Role: {}.\n", wire::name_of(route.method), route.path, route.summary,
                      route.role ? core::to_string(*route.role) : "none");
  add_fields(page, "body", route.body);
  add_fields(page, "query", route.query);
  page += fmt::format("\nAnswer: {} ({})\n", route.answer, answers_of(route));
}

void add_enum(std::string& page, const wire::EnumShape& one) {
  page += fmt::format("| {} | {} |\n", one.name, fmt::join(one.values(), ", "));
}

void add_shape(std::string& page, const wire::Shape& shape) {
  page += fmt::format("\n### {}\n", shape.name);
  if (!shape.base.empty()) page += fmt::format("All fields of {}, and:\n", shape.base);
  if (shape.fields.empty()) page += "No fields.\n";
  add_fields(page, "field", shape.fields);
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
  page += "\n## Enums\n| name | values |\n|---|---|\n";
  for (const wire::EnumShape& one : wire::enum_shapes()) add_enum(page, one);
  page +=
      "\n## Shapes\n(required) fields are in every response. A page has `items` and `next_cursor`, which is "
      "null on "
      "the last one.\n";
  for (const wire::Shape& shape : wire::shapes()) add_shape(page, shape);
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
