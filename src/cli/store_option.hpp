#pragma once
// The store that a flag or a setting names, looked at before it is opened.

#include <string>

#include "cli/command.hpp"
#include "client/open_store.hpp"
#include "core/result.hpp"

namespace pawl::cli {

// From here on no message of this command shows the password in it. Refuses a file that is no SQLite
// database.
[[nodiscard]] core::Result<client::StoreAddress> store_named(Context& context, const std::string& text);

}  // namespace pawl::cli
