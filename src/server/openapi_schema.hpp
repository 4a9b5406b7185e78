#pragma once
// Converts the types of wire/shapes.hpp to JSON Schema for /openapi.json.

#include <string>
#include <string_view>
#include <vector>

#include "wire/operations.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

// The schema name of an operation's body.
[[nodiscard]] std::string request_name(const wire::Operation& operation);

// The schema of one type, with a description if there is one.
[[nodiscard]] core::RawJson schema_of(std::string_view type, std::string_view about = {});

// Writes every shape, enum, page and body, by name.
void write_schemas(wire::Writer& out, const std::vector<wire::Operation>& operations);

}  // namespace pawl::server
