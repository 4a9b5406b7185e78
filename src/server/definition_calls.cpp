#include "server/definition_calls.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "server/respond.hpp"
#include "wire/definition.hpp"

namespace pawl::server {

namespace {

using wire::Call;

Response put_definition(Services& services, const Request& request) {
  auto text = wire::definition_json(request.body, request.content_type);
  if (!text) return refuse(request, text.problem());
  const auto done = services.runs.put_definition(
      {.ns = request.ns, .name = request.parameters.at(1), .text = std::move(*text), .by = request.actor});
  const auto write = [](wire::Writer& out, const core::DefinitionPut& one) {
    wire::write_definition_put(out, one.version);
  };
  return respond(request, done, write, done && done->created ? 201 : 200);
}

// None if the path parameter is not a number.
std::optional<int> version_of(const Request& request) {
  const std::string& text = request.parameters.at(2);
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return version;
}

// No version: the latest one.
Response get_definition(Services& services, const Request& request, std::optional<int> version) {
  const auto nothing = read_query(request, [](wire::ObjectReader&) { return 0; });
  if (!nothing) return refuse(request, nothing.problem());
  const auto found = services.runs.get_definition(request.ns, request.parameters.at(1), version);
  return respond(request, found, wire::write_definition);
}

Response get_latest_definition(Services& services, const Request& request) {
  return get_definition(services, request, std::nullopt);
}

Response get_definition_version(Services& services, const Request& request) {
  const auto version = version_of(request);
  if (version) return get_definition(services, request, version);
  return refuse(request, core::invalid_field(
                             "version", fmt::format("'{}' is not a whole number", request.parameters.at(2))));
}

Response list_definitions(Services& services, const Request& request) {
  const auto asked = list_of(request);
  if (!asked) return refuse(request, asked.problem());
  return respond_page(request, services.runs.list_definitions(*asked), wire::write_definition_row);
}

}  // namespace

std::span<const Handler> definition_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::put_definition, .run = replying<put_definition>},
      Handler{.call = Call::list_definitions, .run = replying<list_definitions>},
      Handler{.call = Call::get_definition, .run = replying<get_latest_definition>},
      Handler{.call = Call::get_definition_version, .run = replying<get_definition_version>},
  };
  return kHandlers;
}

}  // namespace pawl::server
