#include "cli/config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "cli/nearest.hpp"
#include "cli/redact.hpp"
#include "core/base/ensure.hpp"

namespace pawl::cli {

const std::vector<ConfigKey>& config_keys() {
  using enum ConfigType;
  static const std::vector<ConfigKey> keys{
      {"listen", text, "127.0.0.1:7717", "address and port"},
      {"store", text, "sqlite:pawl.db", "sqlite:FILE, postgres://… or memory:"},
      {"server.hosts", text, "",
       "comma-separated host names of the server; requests for other hosts are rejected (421)"},
      {"auth.required", boolean, "false", "require a token even if the store has none"},
      {"tls.cert", text, "", "certificate file"},
      {"tls.key", text, "", "key file"},
      {"tls.client_ca", text, "", "clients need a certificate of this authority"},
      {"leader.ttl", duration, "30s", "of the leader's lease"},
      {"lease.default", duration, "30s", "lease of a claim that does not set one"},
      {"workers.offline_after", duration, "60s", "without a heartbeat"},
      {"recovery.leases", duration, "5s",
       "maximum interval between checks for expired leases; values above 100ms mean 100ms"},
      {"recovery.timeouts", duration, "10s", "the same for tasks that time out"},
      {"recovery.stuck", duration, "60s", "how often stuck runs are looked for"},
      {"recovery.deadlines", duration, "30s",
       "passed deadlines are looked for at least so often; 100ms if longer"},
      {"recovery.stuck_after", duration, "30m", "a running run without an event is stuck"},
      {"limits.payload_warn", size, "1MiB", "a larger payload is logged"},
      {"limits.payload_max", size, "2MiB", "a task's larger payload is refused; 2MiB at most"},
      {"limits.body_max", size, "4MiB", "a larger request is refused; batches may have 16MiB"},
      {"limits.connections", integer, "1024", "open at once"},
      {"limits.claims_waiting", integer, "100000", "long polls at once"},
      {"limits.child_depth", integer, "64", "maximum depth of child runs; a deeper child run fails"},
      {"limits.run_rendered", size, "64MiB",
       "total size of the inputs that one run renders for its tasks and children"},
      {"limits.run_scanned", size, "1GiB", "that the references of one run may read"},
      {"limits.claims_waiting_per_namespace", integer, "0",
       "the same of one namespace; 0: half of limits.connections"},
      {"limits.claims_waiting_per_token", integer, "0",
       "the same of one token; 0: half of limits.connections"},
      {"limits.streams", integer, "256", "event streams at once"},
      {"limits.streams_per_namespace", integer, "192", "the same of one namespace"},
      {"limits.streams_per_token", integer, "64", "the same of one token"},
      {"limits.reads_per_namespace", integer, "2", "reads of the store at once, of one namespace"},
      {"limits.reads_per_token", integer, "2", "the same of one token"},
      {"limits.requests_per_namespace", integer, "0", "requests a second of one namespace; 0: any number"},
      {"limits.requests_per_token", integer, "0", "the same of one token"},
      {"retention.tasks", duration, "7d", "how long finished tasks are kept; a namespace can override it"},
      {"retention.runs", duration, "30d",
       "finished runs are kept, with their events and tasks; a namespace may say otherwise"},
      {"retention.idempotency", duration, "24h", "answers of idempotent requests are kept"},
      {"retention.checkpoints", integer, "100", "the last ones, kept for each task or run"},
      {"retention.audit", duration, "365d", "entries of the audit are kept"},
      {"http.read_timeout", duration, "30s", "for a request to arrive"},
      {"http.idle_timeout", duration, "60s", "between requests"},
      {"log.format", choice, "text", "text or json"},
      {"log.level", choice, "info", "debug, info, warning or error"},
  };
  return keys;
}

namespace {

// Variables that the command line and the handlers read; they are not configuration keys.
constexpr std::array kOtherVariables{
    "PAWL_CONFIG",        "PAWL_ADDRESS",     "PAWL_NAMESPACE",  "PAWL_TOKEN",   "PAWL_TOKEN_FILE",
    "PAWL_CA_CERT",       "PAWL_CLIENT_CERT", "PAWL_CLIENT_KEY", "PAWL_TASK_ID", "PAWL_OPERATION_KEY",
    "PAWL_EXECUTION_KEY", "PAWL_ATTEMPT",     "PAWL_TYPE",       "PAWL_QUEUE",   "PAWL_FENCE",
    "PAWL_RUN_ID",        "PAWL_NODE_ID"};

const ConfigKey* key_named(std::string_view name) {
  const auto& keys = config_keys();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& key : config_keys()) names.emplace_back(key.name);
  return names;
}

std::vector<std::string> choices_of(const ConfigKey& key) {
  if (key.name == "log.format") return {"text", "json"};
  return {"debug", "info", "warning", "error"};
}

bool is_integer(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The expected form of the key's values; empty if this value has it.
std::string_view expectation(const ConfigKey& key, const std::string& text) {
  switch (key.type) {
    case ConfigType::text: return "";
    case ConfigType::boolean: return text == "true" || text == "false" ? "" : "true or false";
    case ConfigType::integer: return is_integer(text) ? "" : "a whole number";
    case ConfigType::duration: return core::parse_duration(text) ? "" : "a duration such as 1500ms or 30s";
    case ConfigType::size: return parse_size(text) ? "" : "a size such as 64KiB or 2MiB";
    case ConfigType::choice: break;
  }
  const auto choices = choices_of(key);
  return std::find(choices.begin(), choices.end(), text) != choices.end() ? "" : key.summary;
}

// YAML that parses to the same text.
std::string yaml_text(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/' || c == '_' || c == ':';
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain) && !text.ends_with(':')) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string{"''"} : std::string{c};
  return quoted + "'";
}

core::Status apply_environment(const Environment& environment, Config& config) {
  for (const auto& key : config_keys()) {
    const auto found = environment.find(variable_of(key.name));
    if (found == environment.end()) continue;
    auto set = config.set(std::string{key.name}, {.text = found->second, .origin = found->first});
    if (!set) return set;
  }
  return core::Done{};
}

core::Status apply_sets(const std::vector<std::string>& sets, Config& config) {
  for (const auto& set : sets) {
    const auto equals = set.find('=');
    if (equals == std::string::npos)
      return core::invalid_field("--set", "must be KEY=VALUE, not '" + set + "'");
    auto done = config.set(set.substr(0, equals), {.text = set.substr(equals + 1), .origin = "--set"});
    if (!done) return done;
  }
  return core::Done{};
}

}  // namespace

std::string variable_of(std::string_view key) {
  std::string name = "PAWL_";
  for (const char c : key) {
    const bool lower = c >= 'a' && c <= 'z';
    name += c == '.' ? '_' : lower ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t bytes;
  };
  constexpr std::array kUnits{Unit{"KiB", 1LL << 10}, Unit{"MiB", 1LL << 20}, Unit{"GiB", 1LL << 30},
                              Unit{"B", 1}};
  std::int64_t factor = 1;
  for (const auto& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    factor = unit.bytes;
    break;
  }
  if (!is_integer(text)) return std::nullopt;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t number = 0;
  const bool is_too_large =
      std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc::result_out_of_range;
  return is_too_large || number > kMost / factor ? kMost : number * factor;
}

Config::Config() {
  for (const auto& key : config_keys()) {
    values_[std::string{key.name}] = {.text = std::string{key.fallback}, .origin = "default"};
  }
}

core::Status Config::set(const std::string& key, ConfigValue value) {
  const auto* known = key_named(key);
  if (known == nullptr) {
    return core::invalid_field(
        key, fmt::format("unknown key, set by {}{}", value.origin, suggestion(key, all_names())));
  }
  if (const auto expected = expectation(*known, value.text); !expected.empty()) {
    return core::invalid_field(
        key, fmt::format("must be {}, and {} says '{}'", expected, value.origin, value.text));
  }
  values_[key] = std::move(value);
  return core::Done{};
}

const ConfigValue& Config::at(const std::string& key) const {
  const auto found = values_.find(key);
  PAWL_ENSURE(found != values_.end(), "every key has a row in the table");
  return found->second;
}

core::Duration Config::duration(const std::string& key) const {
  return core::parse_duration(text(key)).value_or(core::Duration{0});
}

std::int64_t Config::integer(const std::string& key) const { return parse_size(text(key)).value_or(0); }

std::vector<std::string> Config::lines() const {
  std::vector<std::string> lines;
  for (const auto& key : config_keys()) {
    const auto& value = at(std::string{key.name});
    const auto setting = fmt::format("{}: {}", key.name, yaml_text(without_passwords(value.text)));
    lines.push_back(fmt::format("{:<40}  # {}", setting, value.origin));
  }
  return lines;
}

core::Result<Config> load_config(const ConfigSources& sources) {
  Config config;
  if (!sources.file.empty()) {
    const auto entries = read_config_file(sources.file);
    if (!entries) return entries.problem();
    for (const auto& [key, value] : *entries) {
      if (auto set = config.set(key, {.text = value, .origin = sources.file}); !set) return set.problem();
    }
  }
  if (sources.environment != nullptr) {
    if (auto applied = apply_environment(*sources.environment, config); !applied) return applied.problem();
  }
  for (const auto& [key, value] : sources.flags) {
    if (auto set = config.set(key, {.text = value, .origin = "flag"}); !set) return set.problem();
  }
  if (auto applied = apply_sets(sources.sets, config); !applied) return applied.problem();
  return config;
}

std::vector<std::string> variable_warnings(const Environment& environment) {
  std::vector<std::string> known{kOtherVariables.begin(), kOtherVariables.end()};
  for (const auto& key : config_keys()) known.push_back(variable_of(key.name));
  std::vector<std::string> warnings;
  for (const auto& [name, value] : environment) {
    const bool is_ours = name.starts_with("PAWL_") && !name.starts_with("PAWL_TEST_");
    if (!is_ours || std::find(known.begin(), known.end(), name) != known.end()) continue;
    warnings.push_back(fmt::format("unknown environment variable {}{}", name, suggestion(name, known)));
  }
  return warnings;
}

}  // namespace pawl::cli
