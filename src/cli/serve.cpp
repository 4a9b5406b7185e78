#include "server/serve.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/serve_options.hpp"
#include "cli/store_option.hpp"
#include "client/open_store.hpp"
#include "core/base/problem.hpp"
#include "server/log.hpp"

namespace pawl::cli {

namespace {

core::Result<Config> config_of(const Context& context, const Input& input) {
  ConfigSources sources{
      .file = input.text("--config"), .environment = &context.environment, .sets = input.all("--set")};
  for (const auto& [flag, key] :
       {std::pair{"--listen", "listen"}, std::pair{"--store", "store"},
        std::pair{"--log-format", "log.format"}, std::pair{"--log-level", "log.level"}}) {
    if (input.has(flag)) sources.flags.emplace_back(key, input.text(flag));
  }
  return load_config(sources);
}

std::string url_of(const server::HttpOptions& http, std::uint16_t port) {
  const bool is_v6 = http.address.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}", http.tls.is_on() ? "https" : "http",
                     is_v6 ? "[" + http.address + "]" : http.address, port);
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
  const Config& config = *loaded;
  auto options = serve_options(config);
  if (!options) return refuse(options.problem());
  options->auth.serves_anyone = input.has("--insecure");
  const auto address = store_named(context, config.text("store"));
  if (!address) return refuse(address.problem());
  if (input.has("--print-config")) return print_config(context, config);
  const auto notice = [&](const std::string& line) {
    server::Log{context.clock, options->log}.write(server::LogLevel::warning, line);
  };
  const int readers = options->http.blocking.reads + 1;
  const auto store = client::open_store(*address, context.clock, context.random, {.notice = notice}, readers);
  const auto tell = [&](const server::Serving& serving) {
    context.out.announce("Pawl serves at " + url_of(options->http, serving.port));
    if (serving.bootstrap_token) {
      context.out.announce("The store has no tokens. Created an admin token for all namespaces:",
                           {{"token", *serving.bootstrap_token}});
      context.out.announce("Keep it now: it is stored hashed and not shown again. Use it as PAWL_TOKEN.");
    }
    context.out.flush();
  };
  const auto served = server::serve(*store, context.clock, context.random, *options, tell);
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
             .summary = "Check every setting, show it and where it came from, then end",
             .kind = ValueKind::none},
            {.name = "--insecure",
             .summary = "Allow listening beyond loopback without TLS, and allow unauthenticated requests "
                        "until the first token exists",
             .kind = ValueKind::none}},
       .example = "pawl serve --listen 127.0.0.1:7717 --store sqlite:pawl.db",
       .handler = serve}};
}

}  // namespace pawl::cli
