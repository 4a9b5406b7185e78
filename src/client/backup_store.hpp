#pragma once
// A copy of a store as it is at one moment, taken while others go on working on it.

#include <string>

#include "client/open_store.hpp"
#include "core/result.hpp"

namespace pawl::client {

// `file` must not exist yet. Refuses what is backed up by other means, with the words which. Throws
// StoreError.
[[nodiscard]] core::Status backup_store(const StoreAddress& address, const std::string& file);

}  // namespace pawl::client
