#pragma once
// The name that the text of a definition gives: it is part of the address that the text is sent to.

#include <string>

#include "core/result.hpp"

namespace pawl::client {

struct DefinitionFile {
  std::string text = {};
  bool is_json = false;  // else YAML
};
[[nodiscard]] core::Result<std::string> definition_name(const DefinitionFile& file);

}  // namespace pawl::client
