// pawl backup: copies a store while it is in use.

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/store_option.hpp"
#include "client/backup_store.hpp"
#include "client/migrate_store.hpp"
#include "client/raw_json.hpp"
#include "runtime/guarded.hpp"

namespace pawl::cli {

namespace {

// The temporary name of a copy until it is complete. The destructor removes an incomplete copy.
class Unfinished {
 public:
  explicit Unfinished(const std::string& file) : path_(file + ".unfinished") {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    std::error_code is_not_there;
    std::filesystem::remove(path_, is_not_there);
  }

 private:
  std::filesystem::path path_;
};

core::Status check_folder_of(const std::string& file) {
  std::filesystem::path folder = std::filesystem::path{file}.parent_path();
  if (folder.empty()) folder = ".";
  if (access(folder.c_str(), W_OK | X_OK) == 0) return core::Done{};
  return core::Problem{.code = core::ProblemCode::invalid_state,
                       .detail = fmt::format("cannot write into the folder {}: {}", folder.string(),
                                             std::generic_category().message(errno))};
}

core::Status copy(const client::StoreAddress& address, const std::string& file) {
  if (address.type == client::StoreType::sqlite) {
    // If the store is missing or unreadable, this throws and main() prints it; later errors concern the copy.
    const auto states = client::store_migrations(address);
    if (auto writable = check_folder_of(file); !writable) return writable;
  }
  const Unfinished unfinished{file};
  return runtime::guarded([&] { return client::backup_store(address, file); });
}

int backup(Context& context, const Input& input) {
  const auto address = store_named(context, input.text("--store"));
  if (!address) return context.out.problem("pawl backup", address.problem());
  const std::string file = input.text("FILE");
  if (const core::Status done = copy(*address, file); !done) {
    const bool is_wrong_usage = done.problem().code == core::ProblemCode::invalid_argument;
    return is_wrong_usage ? context.out.problem("pawl backup", done.problem())
                          : context.out.refusal("pawl backup: " + file + " was not made", done.problem());
  }
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
          .summary = "Copy a SQLite store to a file while servers and workers use it",
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
