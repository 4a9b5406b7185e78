#pragma once
// The Api on a store that this process opens by itself, beside whatever servers work on it: for whoever has
// the database has all power. It has no threads and is no node: it sweeps nothing and never leads. One
// thread.

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "core/result.hpp"
#include "runtime/runtime.hpp"

namespace pawl::cli {

class StoreApi {
 public:
  // Refuses a store whose schema is not up to date, and never makes one. Throws StoreError.
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
