#pragma once
// Definitions of workflows as JSON, both ways.

#include "core/run_api.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// {name, version, hash}: what the one who put it is told.
void write_definition_put(Writer& out, const core::DefinitionVersion& version);
// With the definition itself.
void write_definition(Writer& out, const core::DefinitionVersion& version);
// In a list: without it, since it may have 10,000 tasks.
void write_definition_row(Writer& out, const core::DefinitionVersion& version);

[[nodiscard]] core::DefinitionVersion read_definition(ObjectReader& in);

// The text of a definition as JSON, whatever it was written in: YAML if the content type says so. A mistake
// has its line.
[[nodiscard]] core::Result<std::string> definition_json(const std::string& text,
                                                        std::string_view content_type);

}  // namespace pawl::wire
