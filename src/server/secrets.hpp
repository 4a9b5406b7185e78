#pragma once
// Where chance must be fit for secrets.

#include <string>

namespace pawl::server {

// From the operating system's source of randomness.
[[nodiscard]] std::string random_bytes(std::size_t count);

}  // namespace pawl::server
