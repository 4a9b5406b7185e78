#pragma once
// The document at /openapi.json, generated from the route table.

#include <string>

namespace pawl::server {

[[nodiscard]] std::string openapi_document(const std::string& version);

}  // namespace pawl::server
