// The configuration file. yaml-cpp tells what it does not understand by throwing; it becomes a problem here.

#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "cli/config.hpp"

namespace pawl::cli {

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

core::Status flatten(const YAML::Node& node, const std::string& path, Entries& entries) {
  if (node.IsScalar() && !path.empty()) {
    entries.emplace_back(path, node.Scalar());
    return core::Done{};
  }
  if (node.IsNull()) return core::Done{};  // a heading with nothing under it
  if (!node.IsMap()) return core::invalid_field(path.empty() ? "config" : path, "must be a map or one value");
  for (const auto& entry : node) {
    const auto name = entry.first.Scalar();
    if (auto done = flatten(entry.second, path.empty() ? name : path + "." + name, entries); !done)
      return done;
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
