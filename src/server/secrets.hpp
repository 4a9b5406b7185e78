#pragma once
// Random bytes that are fit for secrets.

#include <string>

namespace pawl::server {

// From the operating system's random source.
[[nodiscard]] std::string random_bytes(std::size_t count);

}  // namespace pawl::server
