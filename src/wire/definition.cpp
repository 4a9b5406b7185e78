#include "wire/definition.hpp"

#include "core/base/source_line.hpp"
#include "wire/parts.hpp"
#include "wire/yaml.hpp"

namespace pawl::wire {

namespace {

void write_name(Writer& out, const core::DefinitionVersion& version) {
  out.begin_object()
      .field("name", version.name)
      .field("version", version.version)
      .field("hash", version.hash);
}

bool is_yaml(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return type == "application/yaml" || type == "application/x-yaml" || type == "text/yaml" ||
         type == "text/x-yaml";
}

}  // namespace

void write_definition_put(Writer& out, const core::DefinitionVersion& version) {
  write_name(out, version);
  out.end_object();
}

void write_definition(Writer& out, const core::DefinitionVersion& version) {
  write_name(out, version);
  out.field("created_at", version.created_at).field("definition", version.text).end_object();
}

void write_definition_row(Writer& out, const core::DefinitionVersion& version) {
  write_name(out, version);
  out.field("created_at", version.created_at).end_object();
}

core::DefinitionVersion read_definition(ObjectReader& in) {
  return {.name = in.text("name"),
          .version = read_int(in, "version"),
          .hash = in.text("hash"),
          .text = in.json("definition"),
          .created_at = read_time(in, "created_at")};
}

core::Result<std::string> definition_json(const std::string& text, std::string_view content_type) {
  if (is_yaml(content_type)) return json_from_yaml(text);
  if (const auto fault = core::json_fault(text)) {
    return core::invalid_line(
        core::line_at(text, fault->at),
        "the definition is not JSON: " + std::string{fault->what} + " (YAML is sent as application/yaml)");
  }
  return text;
}

}  // namespace pawl::wire
