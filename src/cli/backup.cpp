// pawl backup: a copy of a store while it is at work.

#include <filesystem>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "client/backup_store.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

// What the store throws is told by main.
int backup(Context& context, const Input& input) {
  const auto address = client::parse_store_address(input.text("--store"));
  if (!address) return context.out.problem("pawl backup", address.problem());
  const std::string file = input.text("FILE");
  if (const core::Status done = client::backup_store(*address, file); !done)
    return context.out.problem("pawl backup", done.problem());
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  if (input.has("--json")) {
    context.out.line(client::ObjectText{}.text("file", file).number("bytes", bytes).str());
  } else {
    context.out.line(fmt::format("{} holds the store as it was when this began, {} bytes.", file, bytes));
  }
  return 0;
}

}  // namespace

Command backup_command() {
  return {.path = "backup",
          .summary = "Copy a SQLite store into a file while servers and workers go on with it",
          .arguments = {{.name = "FILE", .summary = "The copy, which must not exist yet"}},
          .flags = {{.name = "--store",
                     .value = "STORE",
                     .summary = "sqlite:FILE; PostgreSQL has pg_dump and pg_basebackup",
                     .fallback = "sqlite:pawl.db",
                     .variable = "PAWL_STORE"},
                    {.name = "--json", .summary = "One JSON object", .kind = ValueKind::none}},
          .example = "pawl backup --store sqlite:pawl.db /backups/pawl-monday.db",
          .handler = backup};
}

}  // namespace pawl::cli
