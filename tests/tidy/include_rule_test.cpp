// ARCHITECTURE.md's "May include": which folder may include which, and which folders may use a library.
#include <algorithm>
#include <array>
#include <optional>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

// One row per folder under src/: the folders whose headers it may include besides its own. A path belongs to
// the longest matching folder, so store/sqlite is not store.
struct FolderRule {
  std::string_view folder;
  std::array<std::string_view, 10> may_include;
};

constexpr std::array kFolderRules{
    FolderRule{"core", {}},
    FolderRule{"store", {"core"}},
    FolderRule{"store/memory", {"core", "store"}},
    FolderRule{"store/sqlite", {"core", "store"}},
    FolderRule{"store/postgres", {"core", "store"}},
    FolderRule{"engine", {"core", "store"}},
    FolderRule{"runtime", {"core", "store", "engine"}},
    FolderRule{"client",
               {"core", "store", "store/memory", "store/sqlite", "store/postgres", "runtime", "wire", "net"}},
    FolderRule{"wire", {"core"}},
    FolderRule{"net", {}},
    FolderRule{"server", {"core", "store", "engine", "runtime", "wire", "net"}},
    FolderRule{"worker", {"core", "client", "net"}},
    FolderRule{"sdk", {"core", "store", "client", "runtime", "net", "worker", "pawl"}},
    FolderRule{"cli", {"core", "store", "client", "runtime", "server", "worker", "net", "bench"}},
};

// A library header that only this folder may include (empty: none of the checked ones).
struct LibraryRule {
  std::string_view header;
  std::string_view only_in;
};

constexpr std::array kLibraryRules{
    LibraryRule{"sqlite3.h", "store/sqlite"},
    LibraryRule{"libpq-fe.h", "store/postgres"},
};

// A pure folder has no I/O and no threads; the engine has no threads of its own.
struct PurityRule {
  std::string_view folder;
  std::string_view header;
};

constexpr std::array kPurityRules{
    PurityRule{"core", "thread"},
    PurityRule{"core", "mutex"},
    PurityRule{"core", "condition_variable"},
    PurityRule{"core", "future"},
    PurityRule{"core", "fstream"},
    PurityRule{"core", "filesystem"},
    PurityRule{"core", "unistd.h"},
    PurityRule{"core", "sys/socket.h"},
    PurityRule{"engine", "thread"},
    PurityRule{"engine", "future"},
};

const FolderRule* rule_for(std::string_view path_in_src) {
  const FolderRule* best = nullptr;
  for (const auto& rule : kFolderRules) {
    const bool inside =
        path_in_src.starts_with(rule.folder) && path_in_src.substr(rule.folder.size()).starts_with('/');
    if (inside && (best == nullptr || rule.folder.size() > best->folder.size())) best = &rule;
  }
  return best;
}

struct Include {
  std::string name;
  bool quoted = false;
};

std::optional<Include> include_of(std::string_view line) {
  constexpr std::string_view kDirective = "#include ";
  line = trimmed(line);
  if (!line.starts_with(kDirective)) return std::nullopt;
  line = trimmed(line.substr(kDirective.size()));
  const auto end = line.find_first_of("\">", 1);
  if (line.size() < 2 || end == std::string_view::npos) return std::nullopt;
  return Include{.name = std::string(line.substr(1, end - 1)), .quoted = line.front() == '"'};
}

std::string folder_of(std::string_view name) {
  const auto* rule = rule_for(name);
  return std::string(rule != nullptr ? rule->folder : name.substr(0, name.find('/')));
}

std::optional<std::string> refusal(const FolderRule& own, const Include& include) {
  if (include.quoted) {
    const std::string target = folder_of(include.name);
    const auto& allowed = own.may_include;
    if (target == own.folder || std::find(allowed.begin(), allowed.end(), target) != allowed.end()) return {};
    return std::string(own.folder) + " may not include " + target;
  }
  for (const auto& rule : kLibraryRules) {
    if (include.name == rule.header && own.folder != rule.only_in) {
      return "only " + std::string(rule.only_in) + " may see <" + include.name + ">";
    }
  }
  for (const auto& rule : kPurityRules) {
    if (include.name == rule.header && own.folder == rule.folder) {
      return std::string(own.folder) + " has no use for <" + include.name + ">";
    }
  }
  return {};
}

Complaints check_source(const SourceFile& file) {
  constexpr std::string_view kSrc = "src/";
  const auto* own = rule_for(std::string_view(file.path).substr(kSrc.size()));
  if (own == nullptr) return {file.path + ": its folder has no row in kFolderRules"};
  Complaints complaints;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const auto include = include_of(file.lines[i]);
    if (!include) continue;
    if (const auto why = refusal(*own, *include)) complaints.push_back(at(file, i) + *why);
  }
  return complaints;
}

Complaints check_public_header(const SourceFile& file) {
  Complaints complaints;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const auto include = include_of(file.lines[i]);
    if (!include) continue;
    const bool is_std = !include->quoted && include->name.find_first_of("/.") == std::string::npos;
    const bool is_json = include->name.starts_with("nlohmann/");
    if (!is_std && !is_json && !include->name.starts_with("pawl/")) {
      complaints.push_back(at(file, i) + "public headers see std, nlohmann/json and pawl/ only");
    }
  }
  return complaints;
}

TEST(IncludeRule, HoldsForEverySource) {
  Complaints complaints;
  for (const auto& file : files_under({"src"}, {".hpp", ".cpp"})) {
    for (auto& complaint : check_source(file)) complaints.push_back(std::move(complaint));
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(IncludeRule, LetsPublicHeadersIncludeOnlyStdAndJson) {
  Complaints complaints;
  for (const auto& file : files_under({"include"}, {".hpp"})) {
    for (auto& complaint : check_public_header(file)) complaints.push_back(std::move(complaint));
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(IncludeRule, DetectsALowerLayerThatIncludesAHigherOne) {
  const auto file =
      file_of("src/core/task/task.cpp", "#include \"core/task/task.hpp\"\n#include \"store/store.hpp\"\n");
  EXPECT_EQ(check_source(file), Complaints{"src/core/task/task.cpp:2: core may not include store"});
}

TEST(IncludeRule, DetectsAnEngineThatIncludesADatabase) {
  const auto file =
      file_of("src/engine/claim.cpp", "#include \"store/sqlite/open.hpp\"\n#include <sqlite3.h>\n");
  EXPECT_EQ(check_source(file),
            (Complaints{"src/engine/claim.cpp:1: engine may not include store/sqlite",
                        "src/engine/claim.cpp:2: only store/sqlite may see <sqlite3.h>"}));
}

TEST(IncludeRule, DetectsAFolderWithoutARule) {
  EXPECT_EQ(check_source(file_of("src/misc/util.cpp", "")),
            Complaints{"src/misc/util.cpp: its folder has no row in kFolderRules"});
}

}  // namespace
}  // namespace pawl::tidy
