// The configuration file. yaml-cpp tells what it does not understand by throwing; it becomes a problem here.

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "cli/config.hpp"

namespace pawl::cli {

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

bool has(const Entries& entries, const std::string& path) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == path; });
}

// Which of two would hold is a guess that nobody should have to make.
core::Problem given_twice(const std::string& path) {
  return core::invalid_field(path, "is given twice in the file");
}

core::Status flatten(const YAML::Node& node, const std::string& path, Entries& entries) {
  if (node.IsScalar() && !path.empty()) {
    if (has(entries, path)) return given_twice(path);
    entries.emplace_back(path, node.Scalar());
    return core::Done{};
  }
  if (node.IsNull()) return core::Done{};  // a heading with nothing under it
  if (!node.IsMap()) return core::invalid_field(path.empty() ? "config" : path, "must be a map or one value");
  std::set<std::string> names;
  for (const auto& entry : node) {
    const auto name = entry.first.Scalar();
    const auto below = path.empty() ? name : path + "." + name;
    if (!names.insert(name).second) return given_twice(below);
    if (auto done = flatten(entry.second, below, entries); !done) return done;
  }
  return core::Done{};
}

}  // namespace

core::Result<Entries> read_config_file(const std::string& path) {
  try {
    Entries entries;
    const auto done = flatten(YAML::LoadFile(path), "", entries);
    if (!done) return done.problem();
    return entries;
  } catch (const YAML::BadFile&) {
    return core::invalid_field("config", "cannot read the file " + path);
  } catch (const YAML::Exception& error) {
    return core::invalid_field("config", fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace pawl::cli
