#pragma once
// Checks a store's invariants. It reads pages while the store is in use, so a suspected violation is read
// again in one piece before it is reported. docs/guides/verify.md describes each check.

#include "core/records/maintenance.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// `retention` is the server's setting. Throws StoreError.
[[nodiscard]] core::Verification verify(store::Store& store, const core::Retention& retention);

}  // namespace pawl::engine
