// embed_files OUT.hpp NAMESPACE FOLDER
//
// Converts the compressed files under a folder (NAME.gz) to a C++ header, with the path, content type and
// ETag that a server sends for each. Without a folder it writes a header with no files.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".gz";
constexpr std::size_t kLineMax = 4'000;  // keeps the header readable in editors

struct File {
  std::string path;  // relative to the folder, without .gz
  std::string bytes;
};

struct Kind {
  std::string_view ending;
  std::string_view content_type;
};
constexpr std::array kKinds{
    Kind{".html", "text/html; charset=utf-8"},
    Kind{".js", "text/javascript; charset=utf-8"},
    Kind{".css", "text/css; charset=utf-8"},
    Kind{".svg", "image/svg+xml"},
};

std::string_view content_type_of(const std::string& path) {
  const auto* const kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& one) { return path.ends_with(one.ending); });
  if (kind == kKinds.end()) throw std::runtime_error(path + ": a kind of file that has no content type here");
  return kind->content_type;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  return bytes.str();
}

std::vector<File> files_under(const fs::path& folder) {
  std::vector<File> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != kEnding) continue;
    std::string path = entry.path().lexically_relative(folder).generic_string();
    path.resize(path.size() - kEnding.size());
    files.push_back({.path = std::move(path), .bytes = read_file(entry.path())});
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

// FNV-1a: it only distinguishes files of different builds, and does not resist forgery.
std::string mark_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::ostringstream out;
  out << std::hex << hash;
  return out.str();
}

// Always three octal digits: with fewer, a following digit would become part of the escape.
std::string literal(const std::string& bytes) {
  std::string out = "\"";
  std::size_t line = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= ' ' && byte < 127 && c != '"' && c != '\\' && c != '?';
    if (is_plain) {
      out += c;
    } else {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    }
    if (out.size() - line > kLineMax) {
      out += "\"\n    \"";
      line = out.size();
    }
  }
  return out + "\"";
}

std::string header(const std::string& name_space, const std::vector<File>& files) {
  std::ostringstream out;
  out << "// Made by tools/embed_files; not to be edited.\n// NOLINTBEGIN\n#pragma once\n\n#include <array>\n"
      << "#include <string_view>\n\n#include \"server/dashboard_file.hpp\"\n\nnamespace " << name_space
      << " {\n\n"
      << "inline constexpr std::array<DashboardFile, " << files.size() << "> kDashboardFiles{";
  for (const auto& file : files) {
    out << "\n    DashboardFile{\"" << file.path << "\", \"" << content_type_of(file.path)
        << "\",\n    \"\\\"" << mark_of(file.bytes) << "\\\"\",\n    std::string_view{" << literal(file.bytes)
        << ", " << file.bytes.size() << "}},";
  }
  out << "};\n\n}  // namespace " << name_space << "\n// NOLINTEND\n";
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: embed_files OUT.hpp NAMESPACE FOLDER\n";
    return 2;
  }
  try {
    const fs::path target = argv[1];
    fs::create_directories(target.parent_path());
    std::ofstream out(target, std::ios::binary);
    out << header(argv[2], files_under(argv[3])) << std::flush;
    if (!out) throw std::runtime_error(target.string() + ": cannot be written");
  } catch (const std::exception& error) {
    std::cerr << "embed_files: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
