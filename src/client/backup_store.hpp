#pragma once
// Copies a store as it is at one moment, while other processes work on it.

#include <string>

#include "client/open_store.hpp"
#include "core/base/result.hpp"

namespace pawl::client {

// `file` must not exist yet. Refuses a store that is backed up by other means, and names them. Throws
// StoreError.
[[nodiscard]] core::Status backup_store(const StoreAddress& address, const std::string& file);

}  // namespace pawl::client
