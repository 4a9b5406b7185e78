#include "cli/log_format.hpp"

#include <optional>
#include <string_view>

#include "cli/config.hpp"

namespace pawl::cli {

namespace {

constexpr std::string_view kKey = "log.format";

// The value of the last `--name VALUE` or `--name=VALUE`.
std::optional<std::string> last_flag(const std::vector<std::string>& words, std::string_view name) {
  std::optional<std::string> value;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == name && i + 1 < words.size()) value = words[i + 1];
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      value = word.substr(name.size() + 1);
  }
  return value;
}

std::optional<std::string> last_set(const std::vector<std::string>& words) {
  std::optional<std::string> value;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.starts_with("--set=")) word.remove_prefix(std::string_view{"--set="}.size());
    if (word.starts_with(kKey) && word.substr(kKey.size()).starts_with('='))
      value = word.substr(kKey.size() + 1);
  }
  return value;
}

std::optional<std::string> in_environment(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::string> in_file(const std::optional<std::string>& path) {
  if (!path || path->empty()) return std::nullopt;
  const auto entries = read_config_file(*path);
  if (!entries) return std::nullopt;
  for (const auto& [key, value] : *entries) {
    if (key == kKey) return value;
  }
  return std::nullopt;
}

}  // namespace

bool logs_json(const std::vector<std::string>& words, const Environment& environment) {
  const bool has_subcommand = words.size() > 1 && !words[1].starts_with('-');
  const bool is_server = !words.empty() && words[0] == "serve";
  const bool is_worker = !words.empty() && words[0] == "worker" && !has_subcommand;
  if (!is_server && !is_worker) return false;
  auto format = is_server ? last_set(words) : std::nullopt;
  if (!format) format = last_flag(words, "--log-format");
  if (!format) format = in_environment(environment, variable_of(kKey));
  if (!format && is_server) {
    const auto file = last_flag(words, "--config");
    format = in_file(file ? file : in_environment(environment, "PAWL_CONFIG"));
  }
  return format == "json";
}

}  // namespace pawl::cli
