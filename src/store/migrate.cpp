#include "store/migrate.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "store/store.hpp"

namespace pawl::store {

namespace {

void refuse_mismatch(const std::vector<AppliedMigration>& applied, std::span<const MigrationFile> files) {
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const AppliedMigration& row = applied[i];
    if (i >= files.size()) {
      throw StoreError{
          StoreError::Kind::schema,
          fmt::format("the database has schema version {} ({}), this binary knows versions up to {}: "
                      "run a newer pawl",
                      applied.back().version, applied.back().name, files.empty() ? 0 : files.back().version)};
    }
    if (row.version != files[i].version || row.checksum != checksum_of(files[i].text)) {
      throw StoreError{
          StoreError::Kind::schema,
          fmt::format("migration {} ({}) was applied with other content than this binary has: the "
                      "database was made by another build",
                      row.version, row.name)};
    }
  }
}

}  // namespace

std::string checksum_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::vector<MigrationState> migration_status(MigrationTarget& target, std::span<const MigrationFile> files) {
  const auto applied = target.applied();
  refuse_mismatch(applied, files);
  std::vector<MigrationState> states;
  for (std::size_t i = 0; i < files.size(); ++i) {
    states.push_back(
        {.version = files[i].version,
         .name = std::string{files[i].name},
         .applied_at = i < applied.size() ? std::optional{applied[i].applied_at} : std::nullopt});
  }
  return states;
}

void expect_schema(int found, int own) {
  if (found == own || core::planted(core::Canary::schema_not_expected)) return;
  const std::string_view advice =
      found > own ? "a newer pawl has migrated it; replace this node's program by that version"
                  : "it was replaced by an older one; restart this node to migrate it";
  throw StoreError{StoreError::Kind::schema,
                   fmt::format("the database has schema version {} and this node writes version {}: {}. It "
                               "writes nothing until then",
                               found, own, advice)};
}

int migrate(MigrationTarget& target, std::span<const MigrationFile> files) {
  const auto seen = target.applied();
  refuse_mismatch(seen, files);
  if (seen.size() == files.size()) return 0;  // the common case takes no lock

  target.begin_exclusive();
  const auto applied = target.applied();  // again: another process may have migrated meanwhile
  refuse_mismatch(applied, files);
  for (const MigrationFile& file : files.subspan(applied.size())) target.apply(file, checksum_of(file.text));
  target.commit();
  return static_cast<int>(files.size() - applied.size());
}

}  // namespace pawl::store
