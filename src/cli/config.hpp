#pragma once
// The server's configuration: one table of keys; values from defaults, then a YAML file, then the
// environment, then flags, each over the one before. Every value knows where it came from. Read only once
// loaded.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace pawl::cli {

enum class ConfigType : std::uint8_t { text, boolean, integer, duration, size, choice };

struct ConfigKey {
  std::string_view name;  // "recovery.leases"
  ConfigType type = ConfigType::text;
  std::string_view fallback;
  std::string_view summary;
};

[[nodiscard]] const std::vector<ConfigKey>& config_keys();
// "recovery.leases" is PAWL_RECOVERY_LEASES.
[[nodiscard]] std::string variable_of(std::string_view key);
// "2MiB", "64KiB", "100" in bytes.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);

struct ConfigValue {
  std::string text;
  std::string origin;  // "default", the file's name, the variable or the flag

  bool operator==(const ConfigValue&) const = default;
};

class Config {
 public:
  // All keys at their defaults.
  Config();

  // Refuses a key that is not known, naming the nearest, and a value that is not of the key's type.
  [[nodiscard]] core::Status set(const std::string& key, ConfigValue value);

  [[nodiscard]] const ConfigValue& at(const std::string& key) const;
  [[nodiscard]] const std::string& text(const std::string& key) const { return at(key).text; }
  [[nodiscard]] core::Duration duration(const std::string& key) const;
  [[nodiscard]] std::int64_t integer(const std::string& key) const;  // sizes too, in bytes
  [[nodiscard]] bool boolean(const std::string& key) const { return text(key) == "true"; }

  // "key: value  # where it came from", in the order of the table: YAML that can be read again, but for
  // passwords, which are hidden.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::map<std::string, ConfigValue> values_;
};

struct ConfigSources {
  std::string file = {};  // none: no file
  const Environment* environment = nullptr;
  std::vector<std::pair<std::string, std::string>> flags = {};  // key and value of the flags that are keys
  std::vector<std::string> sets = {};  // "key=value" of --set, the last to be applied
};

[[nodiscard]] core::Result<Config> load_config(const ConfigSources& sources);

// One for each PAWL_ variable that nothing reads, with the nearest that something does.
[[nodiscard]] std::vector<std::string> variable_warnings(const Environment& environment);

// The file's keys, nested maps joined by dots.
[[nodiscard]] core::Result<std::vector<std::pair<std::string, std::string>>> read_config_file(
    const std::string& path);
// The same of a file's text; `path` stands in problems.
[[nodiscard]] core::Result<std::vector<std::pair<std::string, std::string>>> parse_config(
    const std::string& text, const std::string& path);

}  // namespace pawl::cli
