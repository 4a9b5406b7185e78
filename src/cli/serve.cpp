#include "cli/serve.hpp"

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "client/open_store.hpp"
#include "core/problem.hpp"
#include "runtime/env.hpp"
#include "server/serve.hpp"

namespace pawl::cli {

namespace {

struct ServeFlags {
  std::string listen = "127.0.0.1:7717";
  std::string store = "sqlite:pawl.db";
  std::string log_format = "text";
  std::string log_level = "info";
  bool insecure = false;
};

int refuse(const core::Problem& problem) {
  fmt::print(stderr, "pawl serve: {}\n", problem.detail);
  return kind_of(problem.code).exit_code;
}

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};

core::Result<Endpoint> parse_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return core::invalid_field("listen", "must be ADDRESS:PORT");
  Endpoint endpoint{.address = text.substr(0, colon)};
  if (endpoint.address == "localhost") endpoint.address = "127.0.0.1";
  if (endpoint.address.starts_with('[')) endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc{} || stopped != end) return core::invalid_field("listen", "must end in a port, 0 to 65535");
  return endpoint;
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

int run(const ServeFlags& flags) {
  const auto endpoint = parse_endpoint(flags.listen);
  if (!endpoint) return refuse(endpoint.problem());
  if (!is_loopback(endpoint->address) && !flags.insecure) {
    return refuse(core::invalid_field(
        "listen", fmt::format("{} can be reached by others, who would need no token; --insecure serves them all the same",
                              endpoint->address)));
  }
  const auto address = client::parse_store_address(flags.store);
  if (!address) return refuse(address.problem());
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = client::open_store(*address, clock, random);
  server::ServeOptions options{.http = {.address = endpoint->address, .port = endpoint->port},
                               .log = {.is_json = flags.log_format == "json",
                                       .least = flags.log_level == "debug" ? server::LogLevel::debug
                                                                           : server::LogLevel::info},
                               .version = PAWL_VERSION};
  return server::serve(*store, clock, random, options, [&](std::uint16_t port) {
    const bool is_v6 = endpoint->address.find(':') != std::string::npos;
    fmt::print("Pawl serves at http://{}:{}\n", is_v6 ? "[" + endpoint->address + "]" : endpoint->address, port);
    std::fflush(stdout);
  });
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ServeFlags>();  // shared with the callback, which outlives this call
  CLI::App* serve = app.add_subcommand("serve", "Serve the HTTP API from a store");
  serve->footer("Example:\n  pawl serve --listen 127.0.0.1:7717 --store sqlite:pawl.db");
  serve->add_option("--listen", flags->listen, "ADDRESS:PORT; port 0 takes any free one")->capture_default_str();
  serve->add_option("--store", flags->store, "sqlite:FILE, postgres://… or memory:")->capture_default_str();
  serve->add_option("--log-format", flags->log_format, "text or json")->check(CLI::IsMember({"text", "json"}));
  serve->add_option("--log-level", flags->log_level, "info or debug")->check(CLI::IsMember({"info", "debug"}));
  serve->add_flag("--insecure", flags->insecure, "Listen beyond loopback although nobody needs a token");
  serve->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace pawl::cli
