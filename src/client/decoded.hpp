#pragma once
// Parses the answers of a server strictly.

#include <string>
#include <utility>

#include "core/base/result.hpp"
#include "core/json/json_envelope.hpp"
#include "wire/reader.hpp"

namespace pawl::client {

// Parses the body with `read` (ObjectReader& -> T). An answer that cannot be parsed is a bug on one side.
template <typename Read>
auto decoded(const core::Result<std::string>& body, Read read)
    -> core::Result<decltype(read(std::declval<wire::ObjectReader&>()))> {
  using core::Problem;
  using core::ProblemCode;
  if (!body) return body.problem();
  if (const auto error = core::envelope_error(*body))
    return Problem{.code = ProblemCode::internal, .detail = "the server's answer is not JSON: " + *error};
  wire::Mistakes mistakes;
  wire::ObjectReader in{*body, "", mistakes};
  auto value = read(in);
  if (mistakes.any()) {
    return Problem{.code = ProblemCode::internal,
                   .detail = "the server's answer was not understood: " + mistakes.problem().detail};
  }
  return value;
}

}  // namespace pawl::client
