#include "tests/tidy/source_tree.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "tests/places/places.hpp"

namespace pawl::tidy {
namespace {

namespace fs = std::filesystem;

// Made by builds and tools, none of it ours to check.
constexpr std::array<std::string_view, 5> kSkippedFolders{".git", "build", ".pawl", ".cache", "node_modules"};

bool is_skipped(const fs::path& folder) {
  return std::find(kSkippedFolders.begin(), kSkippedFolders.end(), folder.filename().string()) !=
         kSkippedFolders.end();
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void collect(const fs::path& folder, const std::vector<std::string_view>& endings,
             std::vector<SourceFile>& out) {
  if (!fs::exists(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) {
      if (!is_skipped(entry.path())) collect(entry.path(), endings, out);
      continue;
    }
    const std::string name = entry.path().filename().string();
    const bool wanted =
        std::any_of(endings.begin(), endings.end(), [&](auto end) { return name.ends_with(end); });
    if (wanted)
      out.push_back(file_of(fs::relative(entry.path(), root()).generic_string(), read(entry.path())));
  }
}

}  // namespace

fs::path root() { return testing::source_dir(); }

std::vector<SourceFile> files_under(std::initializer_list<std::string_view> folders,
                                    std::initializer_list<std::string_view> endings) {
  std::vector<SourceFile> found;
  for (const auto folder : folders) collect((root() / folder).lexically_normal(), endings, found);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

SourceFile file_of(std::string path, std::string_view text) {
  SourceFile file{.path = std::move(path), .lines = {}};
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

std::string at(const SourceFile& file, std::size_t line_index) {
  return file.path + ":" + std::to_string(line_index + 1) + ": ";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string code_of(std::string_view line) {
  std::string code;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_string && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      in_string = !in_string;
      code += '"';
    } else if (!in_string && line.substr(i).starts_with("//")) {
      break;
    } else if (!in_string) {
      code += line[i];
    }
  }
  return code;
}

}  // namespace pawl::tidy
