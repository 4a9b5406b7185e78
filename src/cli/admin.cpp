// pawl migrate: updates the store's schema. doctor, verify, backup and retention have their own files.

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/doctor.hpp"
#include "cli/store_option.hpp"
#include "client/migrate_store.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

void print_migrations(const std::vector<store::MigrationState>& states, const Input& input,
                      Context& context) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& state : states) {
    const auto applied_at = state.applied_at ? core::format_time(*state.applied_at) : "";
    if (input.has("--json")) {
      client::ObjectText object;
      object.number("version", state.version).text("name", state.name);
      object.raw("applied_at", state.applied_at ? "\"" + applied_at + "\"" : "null");
      context.out.line(object.str());
    }
    rows.push_back({{.text = std::to_string(state.version)},
                    {.text = state.name},
                    {.text = state.applied_at ? applied_at : "pending",
                     .colour = state.applied_at ? Colour::none : Colour::yellow}});
  }
  if (!input.has("--json")) context.out.table({{"VERSION", true}, {"NAME"}, {"APPLIED"}}, rows);
}

// main() prints StoreErrors.
int migrate(Context& context, const Input& input) {
  const auto address = store_named(context, input.text("--store"));
  if (!address) return context.out.problem("pawl migrate", address.problem());
  if (!input.has("--status")) {
    client::migrate_store(*address, context.clock, context.random,
                          {.notice = [&](const std::string& line) { context.out.warn(line); }});
  }
  print_migrations(client::store_migrations(*address), input, context);
  return 0;
}

}  // namespace

std::vector<Command> admin_commands() {
  return {{.path = "migrate",
           .summary = "Migrate a store's schema to the current version; a server does this when it starts",
           .flags = {{.name = "--store",
                      .value = "STORE",
                      .summary = "sqlite:FILE or postgres://…",
                      .fallback = "sqlite:pawl.db",
                      .variable = "PAWL_STORE"},
                     {.name = "--status",
                      .summary = "Only show the applied and the pending migrations",
                      .kind = ValueKind::none},
                     {.name = "--json", .summary = "One JSON object a line", .kind = ValueKind::none}},
           .example = "pawl migrate --store postgres://localhost/pawl --status",
           .handler = migrate},
          doctor_command(),
          verify_command(),
          backup_command(),
          retention_command()};
}

}  // namespace pawl::cli
