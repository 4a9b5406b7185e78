#include "server/body.hpp"

#include <charconv>

#include <fmt/format.h>

#include "core/json/json_envelope.hpp"

namespace pawl::server {

core::Result<std::string> checked_body(const Request& request) {
  if (request.body.empty()) return std::string{"{}"};
  if (const auto error = core::envelope_error(request.body)) {
    return core::Problem{.code = core::ProblemCode::invalid_argument,
                         .detail = "the body is not JSON: " + *error};
  }
  return request.body;
}

std::optional<int> read_number(wire::ObjectReader& in, std::string_view name) {
  const auto text = in.optional_text(name);
  if (!text) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size()) return number;
  in.mistake(name, "must be a whole number");
  return std::nullopt;
}

core::Result<core::TaskId> task_id_of(const Request& request, std::size_t parameter) {
  const std::string& text = request.parameters.at(parameter);
  const auto id = core::parse_uuid(text);
  if (!id) return core::invalid_field("id", fmt::format("'{}' is not a UUID", text));
  return core::TaskId{*id};
}

}  // namespace pawl::server
