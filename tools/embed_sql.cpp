// embed_sql OUT.hpp NAMESPACE SQL_DIR MIGRATIONS_DIR
//
// Converts named queries and migrations to a C++ header with raw string literals. It rejects errors that
// would otherwise appear at run time: duplicate query names, queries without a name or text, unknown
// fragments, and gaps or duplicates in the migrations.
//
// A text that several queries of a folder share is a fragment:
//   -- fragment: NAME                         begins it; {word} in it is a parameter
//   -- include: NAME | word: text | …         stands for it, in a query or in another fragment
//   -- + text                                 continues the line before
// A list in both directions is one text:
//   -- both orders                            after "-- name: X": makes X_newest_first and X_oldest_first,
//   with
//                                             {beyond}, {end} and {direction}
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
constexpr std::string_view kFragmentMark = "-- fragment:";
constexpr std::string_view kIncludeMark = "-- include:";
constexpr std::string_view kMoreMark = "-- +";
constexpr std::string_view kBothOrdersMark = "-- both orders";
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

// What differs between the two directions of a list by id.
struct Order {
  std::string_view suffix;
  std::map<std::string, std::string> words;
};
const Order kOrders[] = {
    {"_newest_first",
     {{"beyond", "<"}, {"end", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"}, {"direction", "desc"}}},
    {"_oldest_first",
     {{"beyond", ">"}, {"end", "'00000000-0000-0000-0000-000000000000'"}, {"direction", "asc"}}},
};

// A query or a fragment as it is written.
struct Block {
  std::string name;
  std::string text = {};
  fs::path file;
  bool is_fragment = false;
  bool has_both_orders = false;
  bool is_used = false;  // a fragment
};

// Removes comment lines, which are for readers of the .sql file; the database receives only the statement.
std::vector<Block> parse_blocks(const fs::path& file) {
  std::vector<Block> blocks;
  std::istringstream lines(read_file(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string_view content = trim(line);
    const std::string at = file.string() + ":" + std::to_string(number) + ": ";
    const bool is_fragment = content.starts_with(kFragmentMark);
    if (is_fragment || content.starts_with(kNameMark)) {
      const std::string name(trim(content.substr(is_fragment ? kFragmentMark.size() : kNameMark.size())));
      if (!is_snake_case(name)) refuse(at + "'" + name + "' is no snake_case name");
      blocks.push_back({.name = name, .file = file, .is_fragment = is_fragment});
    } else if (content == kBothOrdersMark && !blocks.empty()) {
      blocks.back().has_both_orders = true;
    } else if (content.starts_with(kMoreMark) && !blocks.empty() && !blocks.back().text.empty()) {
      blocks.back().text.insert(blocks.back().text.size() - 1, content.substr(kMoreMark.size()));
    } else if (content.empty() || (content.starts_with("--") && !content.starts_with(kIncludeMark))) {
      continue;
    } else if (blocks.empty()) {
      refuse(at + "SQL before the first '-- name:' line");
    } else {
      blocks.back().text += line + "\n";
    }
  }
  for (auto& block : blocks) {
    if (trim(block.text).empty()) refuse(file.string() + ": '" + block.name + "' is empty");
  }
  return blocks;
}

// Replaces each {word}.
std::string with_words(std::string text, const std::map<std::string, std::string>& words) {
  for (const auto& [word, value] : words) {
    const std::string place = "{" + word + "}";
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

using Fragments = std::map<std::string, Block>;

std::string expanded(const Block& block, Fragments& fragments, int depth);

// The text of the fragment that an "-- include:" line names.
std::string included(std::string_view line, const Block& by, Fragments& fragments, int depth) {
  constexpr int kDepthMax = 8;
  if (depth > kDepthMax) refuse(by.file.string() + ": '" + by.name + "' includes itself");
  std::istringstream parts{std::string(line.substr(kIncludeMark.size()))};
  std::string part;
  std::getline(parts, part, '|');
  const auto found = fragments.find(std::string(trim(part)));
  if (found == fragments.end())
    refuse(by.file.string() + ": '" + by.name + "' includes '" + std::string(trim(part)) +
           "', which is no fragment");
  std::map<std::string, std::string> words;
  while (std::getline(parts, part, '|')) {
    const auto colon = part.find(':');
    if (colon == std::string::npos)
      refuse(by.file.string() + ": '" + by.name + "': no ':' in '" + part + "'");
    words.emplace(trim(std::string_view(part).substr(0, colon)),
                  trim(std::string_view(part).substr(colon + 1)));
  }
  found->second.is_used = true;
  return with_words(expanded(found->second, fragments, depth + 1), words);
}

std::string expanded(const Block& block, Fragments& fragments, int depth) {
  std::string text;
  std::istringstream lines(block.text);
  std::string line;
  while (std::getline(lines, line)) {
    const bool is_include = trim(line).starts_with(kIncludeMark);
    text += is_include ? included(trim(line), block, fragments, depth) : line + "\n";
  }
  return text;
}

// A parameter that nothing has replaced; '{}' and '{1,2}' are arrays.
bool has_open_word(std::string_view text) {
  for (auto at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const auto end = text.find('}', at);
    if (end != std::string_view::npos && is_snake_case(text.substr(at + 1, end - at - 1))) return true;
  }
  return false;
}

void add_queries(const Block& block, Fragments& fragments, std::vector<Query>& queries) {
  const std::string text{trim(expanded(block, fragments, 0))};
  if (block.has_both_orders) {
    for (const Order& order : kOrders) {
      queries.push_back({.name = block.name + std::string(order.suffix),
                         .text = with_words(text, order.words),
                         .file = block.file});
    }
  } else {
    queries.push_back({.name = block.name, .text = text, .file = block.file});
  }
  if (has_open_word(queries.back().text))
    refuse(block.file.string() + ": '" + block.name + "' has a {word} that no include gives a text");
}

std::vector<Query> load_queries(const fs::path& folder) {
  std::vector<Block> blocks;
  for (const auto& file : sql_files(folder)) {
    for (auto& block : parse_blocks(file)) blocks.push_back(std::move(block));
  }
  Fragments fragments;
  std::map<std::string, fs::path> seen;
  for (const auto& block : blocks) {
    const auto [first, is_new] = seen.emplace(block.name, block.file);
    if (!is_new) refuse(block.file.string() + ": '" + block.name + "' is also in " + first->second.string());
    if (block.is_fragment) fragments.emplace(block.name, block);
  }
  std::vector<Query> queries;
  for (const auto& block : blocks) {
    if (!block.is_fragment) add_queries(block, fragments, queries);
  }
  for (const auto& [name, fragment] : fragments) {
    if (!fragment.is_used) refuse(fragment.file.string() + ": no query includes '" + name + "'");
  }
  return queries;
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
