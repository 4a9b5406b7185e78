#pragma once
// The Api on a store that this process opens itself, next to the servers that use the store: access to the
// database grants all permissions. It has no threads and is not a node: it runs no sweeps and never leads.
// Not thread-safe.

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "core/base/result.hpp"
#include "runtime/runtime.hpp"

namespace pawl::cli {

class StoreApi {
 public:
  // Rejects a store whose schema is not current, and never creates a store. Throws StoreError.
  [[nodiscard]] static core::Result<std::unique_ptr<StoreApi>> open(Context& context,
                                                                    const std::string& store,
                                                                    runtime::LocalApiOptions options = {});

  StoreApi(std::unique_ptr<store::Store> store, Context& context, runtime::LocalApiOptions options);

  [[nodiscard]] core::Api& api() { return api_; }

 private:
  std::unique_ptr<store::Store> store_;
  engine::Engine engine_;
  runtime::LocalApi api_;
};

}  // namespace pawl::cli
