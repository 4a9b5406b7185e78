#include "server/serve.hpp"

#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "client/open_store.hpp"
#include "core/problem.hpp"

namespace pawl::cli {

namespace {

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};

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

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

core::Result<LoadedConfig> config_of(const Context& context, const Input& input) {
  ConfigSources sources{
      .file = input.text("--config"), .environment = &context.environment, .sets = input.all("--set")};
  for (const auto& [flag, key] :
       {std::pair{"--listen", "listen"}, std::pair{"--store", "store"},
        std::pair{"--log-format", "log.format"}, std::pair{"--log-level", "log.level"}}) {
    if (input.has(flag)) sources.flags.emplace_back(key, input.text(flag));
  }
  return load_config(sources);
}

server::LogLevel log_level(const std::string& name) {
  if (name == "debug") return server::LogLevel::debug;
  if (name == "warning") return server::LogLevel::warning;
  return name == "error" ? server::LogLevel::error : server::LogLevel::info;
}

server::ServeOptions options_of(const Config& config, const Endpoint& endpoint) {
  server::ServeOptions options{
      .http = {.address = endpoint.address, .port = endpoint.port},
      .log = {.is_json = config.text("log.format") == "json", .least = log_level(config.text("log.level"))},
      .waiting_claims_max = static_cast<std::size_t>(config.integer("limits.claims_waiting")),
      .version = PAWL_VERSION,
      .leader_ttl = config.duration("leader.ttl")};
  options.http.limits.connections_max = config.integer("limits.connections");
  options.http.limits.body_timeout =
      std::chrono::ceil<std::chrono::milliseconds>(config.duration("http.read_timeout"));
  options.http.limits.idle_timeout =
      std::chrono::ceil<std::chrono::milliseconds>(config.duration("http.idle_timeout"));
  return options;
}

int print_config(Context& context, const Config& config) {
  for (const auto& line : config.lines()) context.out.line(line);
  return 0;
}

int serve(Context& context, const Input& input) {
  const auto refuse = [&](const core::Problem& problem) {
    return context.out.problem("pawl serve", problem);
  };
  const auto loaded = config_of(context, input);
  if (!loaded) return refuse(loaded.problem());
  for (const auto& warning : loaded->warnings) context.out.warn(warning);
  const Config& config = loaded->config;
  if (input.has("--print-config")) return print_config(context, config);
  const auto endpoint = parse_endpoint(config.text("listen"));
  if (!endpoint) return refuse(endpoint.problem());
  if (!is_loopback(endpoint->address) && !input.has("--insecure")) {
    return refuse(core::invalid_field(
        "listen",
        fmt::format(
            "{} can be reached by others, who would need no token; --insecure serves them all the same",
            endpoint->address)));
  }
  const auto address = client::parse_store_address(config.text("store"));
  if (!address) return refuse(address.problem());
  const auto store = client::open_store(*address, context.clock, context.random);
  auto options = options_of(config, *endpoint);
  options.serves_anyone = input.has("--insecure");
  const auto served = server::serve(*store, context.clock, context.random, options, [&](std::uint16_t port) {
    const bool is_v6 = endpoint->address.find(':') != std::string::npos;
    context.out.line(fmt::format("Pawl serves at http://{}:{}",
                                 is_v6 ? "[" + endpoint->address + "]" : endpoint->address, port));
    context.out.flush();
  });
  return served ? *served : refuse(served.problem());
}

}  // namespace

std::vector<Command> serve_commands() {
  return {
      {.path = "serve",
       .summary = "Serve the HTTP API from a store",
       .flags =
           {{.name = "--listen",
             .value = "ADDRESS:PORT",
             .summary = "Where to listen; port 0 takes any free one"},
            {.name = "--store", .value = "STORE", .summary = "sqlite:FILE, postgres://… or memory:"},
            {.name = "--log-format",
             .value = "FORMAT",
             .summary = "Of the lines on standard error: text or json"},
            {.name = "--log-level", .value = "LEVEL", .summary = "The least that is written: debug, info …"},
            {.name = "--config", .value = "FILE", .summary = "Settings as YAML", .variable = "PAWL_CONFIG"},
            {.name = "--set", .value = "KEY=VALUE", .summary = "One setting", .repeated = true},
            {.name = "--print-config",
             .summary = "Show every setting and where it came from, then end",
             .kind = ValueKind::none},
            {.name = "--insecure",
             .summary =
                 "Listen beyond loopback, without TLS, and serve everybody until the first token is made",
             .kind = ValueKind::none}},
       .example = "pawl serve --listen 127.0.0.1:7717 --store sqlite:pawl.db",
       .handler = serve}};
}

}  // namespace pawl::cli
