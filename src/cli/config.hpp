#pragma once
// The server's configuration: one table of keys. Each value comes from the defaults, a YAML file, the
// environment or the flags; later sources override earlier ones. Every value records its origin. Immutable
// after loading, so any thread may read it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"

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
// "2MiB", "64KiB", "100" in bytes. A number that is too large for the type becomes the largest one, which is
// outside the range of every key.
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

  // Rejects an unknown key, with the nearest known one in the message, and a value that does not have the
  // key's type.
  [[nodiscard]] core::Status set(const std::string& key, ConfigValue value);

  [[nodiscard]] const ConfigValue& at(const std::string& key) const;
  [[nodiscard]] const std::string& text(const std::string& key) const { return at(key).text; }
  [[nodiscard]] core::Duration duration(const std::string& key) const;
  [[nodiscard]] std::int64_t integer(const std::string& key) const;  // sizes too, in bytes
  [[nodiscard]] bool boolean(const std::string& key) const { return text(key) == "true"; }

  // "key: value  # origin" lines in the order of the table. They are valid YAML, except that passwords are
  // hidden.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::map<std::string, ConfigValue> values_;
};

struct ConfigSources {
  std::string file = {};  // none: no file
  const Environment* environment = nullptr;
  std::vector<std::pair<std::string, std::string>> flags = {};  // key and value of the flags that set keys
  std::vector<std::string> sets = {};                           // "key=value" of --set, applied last
};

[[nodiscard]] core::Result<Config> load_config(const ConfigSources& sources);

// One warning for each PAWL_ variable that no component reads, with the nearest known name.
[[nodiscard]] std::vector<std::string> variable_warnings(const Environment& environment);

// The keys of the file; the names of nested maps are joined by dots.
[[nodiscard]] core::Result<std::vector<std::pair<std::string, std::string>>> read_config_file(
    const std::string& path);
// The same for a file's text. Problems name `path`.
[[nodiscard]] core::Result<std::vector<std::pair<std::string, std::string>>> parse_config(
    const std::string& text, const std::string& path);

}  // namespace pawl::cli
