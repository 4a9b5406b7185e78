// Cursors, type patterns, headers with structured values, and the configuration.
#include <array>
#include <string>

#include "cli/config.hpp"
#include "core/base/cursor.hpp"
#include "core/run/node_page.hpp"
#include "core/task/type_pattern.hpp"
#include "server/host_names.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/fuzz/targets.hpp"
#include "wire/sequence.hpp"

namespace pawl::fuzz {

namespace {

void read_cursor(std::string_view bytes) {
  if (const auto task = core::task_from_cursor(bytes); task && *task)
    demand(core::task_from_cursor(core::cursor_after(**task)).value() == *task, "a cursor of tasks changed");
  if (const auto run = core::run_from_cursor(bytes); run && *run)
    demand(core::run_from_cursor(core::cursor_after(**run)).value() == *run, "a cursor of runs changed");
  if (const auto node = core::key_from_cursor(bytes))
    demand(core::key_from_cursor(core::cursor_of(*node)) == node, "a cursor of steps changed");
}

void read_pattern(std::string_view bytes) {
  const auto [pattern, type] = halves(bytes);
  const bool matches = core::matches_type(pattern, type);
  const std::vector<std::string> patterns{std::string{pattern}};
  demand(core::matches_any(patterns, type) == matches, "a pattern alone matches something else");
  if (!core::is_beginning(pattern)) demand(matches == (pattern == type), "a name matches another one");
}

void read_sequence(std::string_view bytes) {
  const auto plain = wire::parse_sequence("Last-Event-ID", bytes);
  if (plain) demand(*plain >= 0, "a sequence is negative");
  const auto expected = wire::parse_if_match(bytes);
  if (plain) demand(expected.ok() && *expected == *plain, "If-Match reads a number in another way");
}

void read_host(std::string_view bytes) {
  const auto [host, setting] = halves(bytes);
  const auto names = server::parse_hosts(setting);
  if (!names) return;
  const auto rules = server::host_names(*names, "0.0.0.0");
  if (!names->empty() && rules.accepts(host))
    demand(rules.is_unforgeable(host), "a name that is accepted could be of a page elsewhere");
}

void read_config(std::string_view bytes) {
  const auto entries = cli::parse_config(std::string{bytes}, "pawl.yaml");
  if (!entries) return;
  cli::Config config;
  for (const auto& [key, value] : *entries) (void)config.set(key, {.text = value, .origin = "pawl.yaml"});
  (void)config.lines();
  (void)cli::parse_size(bytes);
}

const std::array kSettingTargets{
    Target{
        "cursor",
        read_cursor,
        {"t01a1e05c-3820-7001-9748-d023fc4d66c2", "r01a1e05c-3820-7001-9748-d023fc4d66c2", "17.3", "-1.0"}},
    Target{"pattern", read_pattern, {"mail.*\nmail.send", "a\na", "*\n", "a**\na*"}},
    Target{"sequence", read_sequence, {"17", "\"17\"", "*", "-1", "9223372036854775807"}},
    Target{"host",
           read_host,
           {"pawl.example:7717\npawl.example, b.example", "[::1]:80\n[::1]", "evil\n127.0.0.1"}},
    Target{"config",
           read_config,
           {"listen: 127.0.0.1:7717\nlog: {level: debug}\nlimits:\n  body_max: 4MiB\nlease.default: 30s\n",
            "server.hosts: a, b\nauth.required: 'true'\n"}},
};

}  // namespace

std::span<const Target> setting_targets() { return kSettingTargets; }

}  // namespace pawl::fuzz
