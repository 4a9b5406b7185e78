#include <charconv>
#include <string>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "client/open_store.hpp"
#include "core/problem.hpp"
#include "server/serve.hpp"

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
  if (endpoint.address.starts_with('[')) endpoint.address = endpoint.address.substr(1, endpoint.address.size() - 2);
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc{} || stopped != end) return core::invalid_field("listen", "must end in a port, 0 to 65535");
  return endpoint;
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

int serve(Context& context, const Input& input) {
  const auto refuse = [&](const core::Problem& problem) { return context.out.problem("pawl serve", problem); };
  const auto endpoint = parse_endpoint(input.text("--listen"));
  if (!endpoint) return refuse(endpoint.problem());
  if (!is_loopback(endpoint->address) && !input.has("--insecure")) {
    return refuse(core::invalid_field(
        "--listen", fmt::format("{} can be reached by others, who would need no token; --insecure serves them all the same",
                                endpoint->address)));
  }
  const auto address = client::parse_store_address(input.text("--store"));
  if (!address) return refuse(address.problem());
  const auto store = client::open_store(*address, context.clock, context.random);
  const bool is_verbose = input.text("--log-level") == "debug";
  const server::ServeOptions options{
      .http = {.address = endpoint->address, .port = endpoint->port},
      .log = {.is_json = input.text("--log-format") == "json",
              .least = is_verbose ? server::LogLevel::debug : server::LogLevel::info},
      .version = PAWL_VERSION};
  return server::serve(*store, context.clock, context.random, options, [&](std::uint16_t port) {
    const bool is_v6 = endpoint->address.find(':') != std::string::npos;
    context.out.line(
        fmt::format("Pawl serves at http://{}:{}", is_v6 ? "[" + endpoint->address + "]" : endpoint->address, port));
    context.out.flush();
  });
}

}  // namespace

std::vector<Command> serve_commands() {
  return {{.path = "serve",
           .summary = "Serve the HTTP API from a store",
           .flags = {{.name = "--listen",
                      .value = "ADDRESS:PORT",
                      .summary = "Where to listen; port 0 takes any free one",
                      .fallback = "127.0.0.1:7717"},
                     {.name = "--store",
                      .value = "STORE",
                      .summary = "sqlite:FILE, postgres://… or memory:",
                      .fallback = "sqlite:pawl.db"},
                     {.name = "--log-format",
                      .value = "FORMAT",
                      .summary = "Of the lines on standard error",
                      .kind = ValueKind::choice,
                      .fallback = "text",
                      .choices = {"text", "json"}},
                     {.name = "--log-level",
                      .value = "LEVEL",
                      .summary = "The least that is written",
                      .kind = ValueKind::choice,
                      .fallback = "info",
                      .choices = {"info", "debug"}},
                     {.name = "--insecure",
                      .summary = "Listen beyond loopback although nobody needs a token",
                      .kind = ValueKind::none}},
           .example = "pawl serve --listen 127.0.0.1:7717 --store sqlite:pawl.db",
           .handler = serve}};
}

}  // namespace pawl::cli
