#pragma once
// Extracts the name from the text of a definition: it is part of the address that the text is sent to.

#include <string>

#include "core/base/result.hpp"

namespace pawl::client {

struct DefinitionFile {
  std::string text = {};
  bool is_json = false;  // otherwise YAML
};
[[nodiscard]] core::Result<std::string> definition_name(const DefinitionFile& file);

}  // namespace pawl::client
