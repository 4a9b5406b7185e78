#pragma once
// Converts workflow definitions to and from JSON.

#include "core/api/run_api.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// {name, version, hash}: the response to a put.
void write_definition_put(Writer& out, const core::DefinitionVersion& version);
// Includes the definition itself.
void write_definition(Writer& out, const core::DefinitionVersion& version);
// For lists: omits the definition, which may have 10,000 tasks.
void write_definition_row(Writer& out, const core::DefinitionVersion& version);

[[nodiscard]] core::DefinitionVersion read_definition(ObjectReader& in);

// Converts a definition to JSON, from YAML if that is the content type. Mistakes are reported with their
// line.
[[nodiscard]] core::Result<std::string> definition_json(const std::string& text,
                                                        std::string_view content_type);

}  // namespace pawl::wire
