// pawl admin retention: erases data that is older than its retention, or shows which data that is.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/http_api.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

std::string text_of(const core::ErasedKind& one) {
  client::ObjectText object;
  if (one.ns.empty()) {
    object.raw("namespace", "null");
  } else {
    object.text("namespace", one.ns);
  }
  return object.text("kind", one.kind).number("count", one.count).str();
}

int retention(Context& context, const Input& input) {
  const auto target = checked_target_of(input);
  if (!target) return context.out.problem("pawl admin retention", target.problem());
  const bool is_dry = input.has("--dry-run");
  const auto swept = client::HttpApi{*target, context.random}.sweep(
      {.check = core::RecoveryCheck::retention, .dry_run = is_dry});
  if (!swept) return tell_failed_call(context, "pawl admin retention", *target, swept.problem());
  std::vector<std::vector<Cell>> rows;
  for (const core::ErasedKind& one : swept->erased) {
    if (input.has("--json")) context.out.line(text_of(one));
    rows.push_back(
        {{.text = one.ns.empty() ? "-" : one.ns}, {.text = one.kind}, {.text = std::to_string(one.count)}});
  }
  if (input.has("--json")) return 0;
  context.out.table({{"NAMESPACE"}, {"KIND"}, {is_dry ? "OLD" : "GONE", true}}, rows);
  if (rows.empty()) context.out.line("No data is past its retention.");
  return 0;
}

}  // namespace

Command retention_command() {
  return {.path = "admin retention",
          .summary = "Erase data past its retention now; the server does this automatically",
          .flags = with_server_flags(
              {{.name = "--dry-run", .summary = "Only show what would be erased", .kind = ValueKind::none}}),
          .example = "pawl admin retention --dry-run",
          .handler = retention};
}

}  // namespace pawl::cli
