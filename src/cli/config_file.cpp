// Reads the configuration file. yaml-cpp throws on errors; they become problems here.

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "cli/config.hpp"

namespace pawl::cli {

namespace {

constexpr std::size_t kFileBytesMax = 1U << 20U;

using Entries = std::vector<std::pair<std::string, std::string>>;

bool has(const Entries& entries, const std::string& path) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == path; });
}

// A duplicate key is an error, because it is not clear which value applies.
core::Problem given_twice(const std::string& path) {
  return core::invalid_field(path, "appears twice in the file");
}

// Aliases can nest a node in itself, or repeat one node in many places.
core::Status check_size(int depth, const Entries& entries) {
  constexpr int kDepthMax = 8;
  constexpr std::size_t kEntriesMax = 1'000;
  if (depth > kDepthMax)
    return core::invalid_field("config", fmt::format("is nested deeper than {}", kDepthMax));
  if (entries.size() >= kEntriesMax)
    return core::invalid_field("config", fmt::format("has more than {} values", kEntriesMax));
  return core::Done{};
}

core::Status flatten(const YAML::Node& node, const std::string& path, int depth, Entries& entries) {
  if (const core::Status fits = check_size(depth, entries); !fits) return fits;
  if (node.IsScalar() && !path.empty()) {
    if (has(entries, path)) return given_twice(path);
    entries.emplace_back(path, node.Scalar());
    return core::Done{};
  }
  if (node.IsNull()) return core::Done{};  // a heading without entries
  if (!node.IsMap()) return core::invalid_field(path.empty() ? "config" : path, "must be a map or one value");
  std::set<std::string> names;
  for (const auto& entry : node) {
    const auto name = entry.first.Scalar();
    const auto below = path.empty() ? name : path + "." + name;
    if (!names.insert(name).second) return given_twice(below);
    if (auto done = flatten(entry.second, below, depth + 1, entries); !done) return done;
  }
  return core::Done{};
}

}  // namespace

core::Result<Entries> read_config_file(const std::string& path) {
  std::string text(kFileBytesMax + 1, '\0');
  std::ifstream file{path, std::ios::binary};
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return core::invalid_field("config", "cannot read the file " + path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kFileBytesMax)
    return core::invalid_field("config", fmt::format("{} has more than {} bytes", path, kFileBytesMax));
  return parse_config(text, path);
}

core::Result<Entries> parse_config(const std::string& text, const std::string& path) {
  try {
    Entries entries;
    const auto done = flatten(YAML::Load(text), "", 0, entries);
    if (!done) return done.problem();
    return entries;
  } catch (const YAML::Exception& error) {
    return core::invalid_field("config", fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace pawl::cli
