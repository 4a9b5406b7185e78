#pragma once
// Looks at everything in a store for what must never be. It reads pages beside what goes on: whatever looks
// wrong is read once more, in one piece, before it is called so. docs/verify.md says what each check looks
// at.

#include "core/maintenance.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// `retention` is the server's. Throws StoreError.
[[nodiscard]] core::Verification verify(store::Store& store, const core::Retention& retention);

}  // namespace pawl::engine
