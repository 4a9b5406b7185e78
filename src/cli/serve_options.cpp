#include "cli/serve_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "server/host_names.hpp"

namespace pawl::cli {

core::Result<Endpoint> parse_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return core::invalid_field("listen", "must be ADDRESS:PORT");
  Endpoint endpoint{.address = text.substr(0, colon)};
  if (endpoint.address == "localhost") endpoint.address = "127.0.0.1";
  if (endpoint.address.starts_with('['))
    endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc{} || stopped != end)
    return core::invalid_field("listen", "must end in a port, 0 to 65535");
  return endpoint;
}

namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// Ranges of values, in addition to their types.
struct DurationRange {
  std::string_view key;
  core::Duration least;
  core::Duration most;
};
constexpr std::array kDurationRanges{
    DurationRange{"leader.ttl", 100ms, 1h},  // with 0 no node would ever lead
    DurationRange{"lease.default", core::kLeaseMin, core::kLeaseMax},
    DurationRange{"workers.offline_after", 1s, 24h},
    DurationRange{"recovery.leases", 10ms, 1h},
    DurationRange{"recovery.timeouts", 10ms, 1h},
    DurationRange{"recovery.stuck", 100ms, 24h},
    DurationRange{"recovery.deadlines", 10ms, 1h},
    DurationRange{"recovery.stuck_after", 1s, core::kDurationMax},
    DurationRange{"retention.tasks", 0s, core::kDurationMax},
    DurationRange{"retention.runs", 0s, core::kDurationMax},
    DurationRange{"retention.idempotency", 1s, core::kDurationMax},
    DurationRange{"retention.audit", 0s, core::kDurationMax},
    DurationRange{"http.read_timeout", 100ms, 1h},
    DurationRange{"http.idle_timeout", 100ms, 24h},
};
struct NumberRange {
  std::string_view key;
  std::int64_t least;
  std::int64_t most;
  std::string_view why = {};
};
constexpr std::string_view kPayloadMost = ", which is 2MiB, the most that a payload can ever have";
static_assert(core::kPayloadBytesMax == 2U << 20U, "as the line above says");
constexpr std::array kNumberRanges{
    NumberRange{"limits.payload_warn", 1, std::int64_t{core::kPayloadBytesMax}, kPayloadMost},
    NumberRange{"limits.payload_max", 1, std::int64_t{core::kPayloadBytesMax}, kPayloadMost},
    NumberRange{"limits.body_max", 1LL << 10, 64LL << 20},
    NumberRange{"limits.connections", 1, 1'000'000},
    NumberRange{"limits.claims_waiting", 0, 10'000'000},
    NumberRange{"limits.child_depth", 1, core::kChildDepthMost},
    NumberRange{"limits.run_rendered", std::int64_t{core::kPayloadBytesMax}, 1LL << 40},
    NumberRange{"limits.run_scanned", std::int64_t{core::kEvaluationBytesMax}, 1LL << 40},
    NumberRange{"limits.claims_waiting_per_namespace", 0, 1'000'000},
    NumberRange{"limits.claims_waiting_per_token", 0, 1'000'000},
    NumberRange{"limits.streams", 0, 100'000},
    NumberRange{"limits.streams_per_namespace", 0, 100'000},
    NumberRange{"limits.streams_per_token", 0, 100'000},
    NumberRange{"limits.reads_per_namespace", 1, 64},
    NumberRange{"limits.reads_per_token", 1, 64},
    NumberRange{"limits.requests_per_namespace", 0, 10'000'000},
    NumberRange{"limits.requests_per_token", 0, 10'000'000},
    NumberRange{"retention.checkpoints", 1, core::kCheckpointsKeptMax},
};

core::Status out_of_range(const Config& config, std::string_view key, const std::string& range) {
  return core::invalid_field(std::string{key},
                             fmt::format("{} is out of range ({})", config.text(std::string{key}), range));
}

core::Status check_ranges(const Config& config) {
  for (const auto& [key, least, most] : kDurationRanges) {
    const core::Duration value = config.duration(std::string{key});
    if (value < least || value > most)
      return out_of_range(config, key,
                          fmt::format("{} to {}", core::format_duration(least), core::format_duration(most)));
  }
  for (const auto& [key, least, most, why] : kNumberRanges) {
    const std::int64_t value = config.integer(std::string{key});
    if (value < least || value > most)
      return out_of_range(config, key, fmt::format("{} to {}{}", least, most, why));
  }
  return core::Done{};
}

server::LogLevel log_level(const std::string& name) {
  if (name == "debug") return server::LogLevel::debug;
  if (name == "warning") return server::LogLevel::warning;
  return name == "error" ? server::LogLevel::error : server::LogLevel::info;
}

// Only for keys that are checked to be in the range of an int.
int number(const Config& config, const std::string& key) { return static_cast<int>(config.integer(key)); }

milliseconds millis(core::Duration duration) { return std::chrono::ceil<milliseconds>(duration); }

// The store has one reader more than the concurrent reads, for authentication and background work.
server::FairThreads::Caps blocking_caps(const Config& config) {
  server::FairThreads::Caps caps;
  caps.reads_of_one_namespace = number(config, "limits.reads_per_namespace");
  caps.reads_of_one_token = number(config, "limits.reads_per_token");
  caps.reads = caps.reads_of_one_namespace + 1;
  caps.threads = std::max(caps.threads, caps.reads + 4);
  caps.of_one_namespace = caps.threads - 2;
  return caps;
}

// A limit of 0 keeps its default, which is a share of the connections.
server::Places::Caps waits_of(const Config& config) {
  server::Places::Caps caps = server::waits_for(config.integer("limits.connections"));
  const int of_namespace = number(config, "limits.claims_waiting_per_namespace");
  const int of_token = number(config, "limits.claims_waiting_per_token");
  if (of_namespace > 0) caps.of_one_namespace = of_namespace;
  if (of_token > 0) caps.of_one_token = of_token;
  return caps;
}

server::Places::Caps streams_of(const Config& config) {
  return {.all = number(config, "limits.streams"),
          .of_one_namespace = number(config, "limits.streams_per_namespace"),
          .of_one_token = number(config, "limits.streams_per_token")};
}

server::HttpOptions http_options(const Config& config, const Endpoint& endpoint) {
  server::HttpOptions http{.address = endpoint.address,
                           .port = endpoint.port,
                           .tls = {.cert = config.text("tls.cert"),
                                   .key = config.text("tls.key"),
                                   .client_ca = config.text("tls.client_ca")}};
  http.limits.connections_max = config.integer("limits.connections");
  http.limits.body_timeout = millis(config.duration("http.read_timeout"));
  http.limits.header_timeout = std::min(http.limits.header_timeout, http.limits.body_timeout);
  http.limits.idle_timeout = millis(config.duration("http.idle_timeout"));
  http.blocking = blocking_caps(config);
  return http;
}

core::Retention retention_of(const Config& config) {
  return {.tasks = config.duration("retention.tasks"),
          .runs = config.duration("retention.runs"),
          .audit = config.duration("retention.audit")};
}

core::RunBounds run_bounds(const Config& config) {
  return {.child_depth_max = static_cast<int>(config.integer("limits.child_depth")),
          .rendered_bytes_max = static_cast<std::size_t>(config.integer("limits.run_rendered")),
          .scanned_bytes_max = static_cast<std::size_t>(config.integer("limits.run_scanned"))};
}

runtime::RuntimeOptions runtime_options(const Config& config) {
  runtime::RuntimeOptions options{
      .limits = {.waiting_claims_max = static_cast<std::size_t>(config.integer("limits.claims_waiting")),
                 .runs = run_bounds(config)},
      .api = {.worker_timeout = config.duration("workers.offline_after"),
              .payload_max = static_cast<std::size_t>(config.integer("limits.payload_max")),
              .stuck_after = config.duration("recovery.stuck_after"),
              .retention = retention_of(config),
              .checkpoints_kept = config.integer("retention.checkpoints")},
      .node = {.version = PAWL_VERSION, .leader_ttl = config.duration("leader.ttl")}};
  options.ticker.interval =
      std::min({options.ticker.interval, config.duration("recovery.leases"),
                config.duration("recovery.timeouts"), config.duration("recovery.deadlines")});
  options.ticker.stuck = config.duration("recovery.stuck");
  options.ticker.stuck_after = config.duration("recovery.stuck_after");
  options.ticker.retention = retention_of(config);
  return options;
}

}  // namespace

core::Result<server::ServeOptions> serve_options(const Config& config) {
  const auto endpoint = parse_endpoint(config.text("listen"));
  if (!endpoint) return endpoint.problem();
  if (const core::Status fits = check_ranges(config); !fits) return fits.problem();
  auto hosts = server::parse_hosts(config.text("server.hosts"));
  if (!hosts) return hosts.problem();
  return server::ServeOptions{
      .http = http_options(config, *endpoint),
      .log = {.is_json = config.text("log.format") == "json", .least = log_level(config.text("log.level"))},
      .runtime = runtime_options(config),
      .streams = streams_of(config),
      .waits = waits_of(config),
      .rates = {.of_one_namespace = config.integer("limits.requests_per_namespace"),
                .of_one_token = config.integer("limits.requests_per_token")},
      .auth = {.requires_token = config.boolean("auth.required")},
      .hosts = *std::move(hosts),
      .body_max = static_cast<std::size_t>(config.integer("limits.body_max")),
      .payload_warn = static_cast<std::size_t>(config.integer("limits.payload_warn")),
      .lease_default = config.duration("lease.default"),
      .answers_kept = config.duration("retention.idempotency"),
      .version = PAWL_VERSION};
}

}  // namespace pawl::cli
