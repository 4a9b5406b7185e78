// embed_sql OUT.hpp NAMESPACE SQL_DIR MIGRATIONS_DIR
//
// Converts named queries and migrations to a C++ header with raw string literals. It rejects errors that
// would otherwise appear at run time: duplicate query names, queries without a name or text, and gaps or
// duplicates in the migrations.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNameMark = "-- name:";
constexpr std::size_t kLiteralMax =
    15'000;  // compilers need only accept string literals of 65,536 characters

struct Query {
  std::string name;
  std::string text;
  fs::path file;
};

struct Migration {
  int version = 0;
  std::string name;
  std::string text;
};

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) refuse(path.string() + ": cannot be read");
  return text.str();
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<fs::path> sql_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".sql") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_snake_case(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), allowed);
}

// Removes comment lines, which are for readers of the .sql file; the database receives only the statement.
std::vector<Query> parse_queries(const fs::path& file) {
  std::vector<Query> queries;
  std::istringstream lines(read_file(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string_view content = trim(line);
    const std::string at = file.string() + ":" + std::to_string(number) + ": ";
    if (content.starts_with(kNameMark)) {
      const std::string name(trim(content.substr(kNameMark.size())));
      if (!is_snake_case(name)) refuse(at + "'" + name + "' is no snake_case name");
      queries.push_back({.name = name, .text = {}, .file = file});
    } else if (content.empty() || content.starts_with("--")) {
      continue;
    } else if (queries.empty()) {
      refuse(at + "SQL before the first '-- name:' line");
    } else {
      queries.back().text += line + "\n";
    }
  }
  for (auto& query : queries) {
    query.text = trim(query.text);
    if (query.text.empty()) refuse(file.string() + ": query '" + query.name + "' is empty");
  }
  return queries;
}

std::vector<Query> load_queries(const fs::path& folder) {
  std::vector<Query> all;
  std::map<std::string, fs::path> seen;
  for (const auto& file : sql_files(folder)) {
    for (auto& query : parse_queries(file)) {
      const auto [first, is_new] = seen.emplace(query.name, file);
      if (!is_new)
        refuse(file.string() + ": query '" + query.name + "' is also in " + first->second.string());
      all.push_back(std::move(query));
    }
  }
  return all;
}

Migration load_migration(const fs::path& file) {
  constexpr std::size_t kDigits = 4;
  const std::string stem = file.stem().string();
  const bool numbered =
      stem.size() > kDigits + 1 && stem[kDigits] == '_' &&
      std::all_of(stem.begin(), stem.begin() + kDigits, [](char c) { return c >= '0' && c <= '9'; });
  if (!numbered || !is_snake_case(stem.substr(kDigits + 1))) {
    refuse(file.string() + ": a migration is named NNNN_snake_case.sql");
  }
  return {.version = std::stoi(stem.substr(0, kDigits)),
          .name = stem.substr(kDigits + 1),
          .text = read_file(file)};
}

std::vector<Migration> load_migrations(const fs::path& folder) {
  std::vector<Migration> all;
  for (const auto& file : sql_files(folder)) {
    all.push_back(load_migration(file));
    const int expected = static_cast<int>(all.size());
    if (all.back().version < expected) refuse(file.string() + ": this version exists twice");
    if (all.back().version > expected)
      refuse(file.string() + ": version " + std::to_string(expected) + " is missing");
    if (trim(all.back().text).empty()) refuse(file.string() + ": the migration is empty");
  }
  return all;
}

// The compiler joins adjacent literals, so a long text is written as several.
std::string literal(std::string_view text) {
  if (text.find(")sql\"") != std::string_view::npos) refuse("a text contains )sql\", which ends the literal");
  std::string out;
  do {
    const auto part = text.substr(0, kLiteralMax);
    out += "R\"sql(" + std::string(part) + ")sql\"";
    text.remove_prefix(part.size());
    if (!text.empty()) out += "\n    ";
  } while (!text.empty());
  return out;
}

std::string header(const std::string& name_space, const std::vector<Query>& queries,
                   const std::vector<Migration>& migrations) {
  std::ostringstream out;
  out << "// Made by tools/embed_sql from the .sql files; not to be edited.\n// NOLINTBEGIN\n#pragma once\n\n"
      << "#include <array>\n#include <string_view>\n\n#include \"store/migration_file.hpp\"\n\n"
      << "namespace " << name_space << "::sql {\n\n";
  for (const auto& query : queries) {
    out << "// " << query.file.filename().string() << "\n"
        << "inline constexpr std::string_view " << query.name << " =\n    " << literal(query.text) << ";\n\n";
  }
  out << "inline constexpr std::array<pawl::store::MigrationFile, " << migrations.size() << "> kMigrations{";
  for (const auto& migration : migrations) {
    out << "\n    pawl::store::MigrationFile{" << migration.version << ", \"" << migration.name << "\",\n    "
        << literal(migration.text) << "},";
  }
  out << "};\n\n}  // namespace " << name_space << "::sql\n// NOLINTEND\n";
  return out.str();
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) refuse(path.string() + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: embed_sql OUT.hpp NAMESPACE SQL_DIR MIGRATIONS_DIR\n";
    return 2;
  }
  try {
    write_file(argv[1], header(argv[2], load_queries(argv[3]), load_migrations(argv[4])));
  } catch (const std::exception& error) {
    std::cerr << "embed_sql: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
