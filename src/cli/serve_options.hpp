#pragma once
// From the configuration to what a server is started with. Pure.

#include "cli/config.hpp"
#include "server/serve.hpp"

namespace pawl::cli {

// A value that is out of its range is refused by the key's name.
[[nodiscard]] core::Result<server::ServeOptions> serve_options(const Config& config);

}  // namespace pawl::cli
