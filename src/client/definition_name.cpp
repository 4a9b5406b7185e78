#include "client/definition_name.hpp"

#include "client/raw_json.hpp"
#include "core/json/json_value.hpp"
#include "wire/definition.hpp"

namespace pawl::client {

core::Result<std::string> definition_name(const DefinitionFile& file) {
  const auto json = wire::definition_json(file.text, file.is_json ? "application/json" : "application/yaml");
  if (!json) return json.problem();
  const auto name = raw_member(*json, "name");
  if (!name || core::kind_of(*name) != core::JsonKind::string)
    return core::invalid_field("name", "is required: the name of the workflow");
  return core::text_of(*name);
}

}  // namespace pawl::client
