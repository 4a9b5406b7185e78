#pragma once
// Parses and checks a store address from a flag or a setting before the store is opened.

#include <string>

#include "cli/command.hpp"
#include "client/open_store.hpp"
#include "core/base/result.hpp"

namespace pawl::cli {

// Rejects a file that is not a SQLite database. From this call on, no message of the command shows the
// password in the address.
[[nodiscard]] core::Result<client::StoreAddress> store_named(Context& context, const std::string& text);

}  // namespace pawl::cli
