#pragma once
// The source of the stores of a run's nodes: one shared object, or one handle per node on one database.

#include <functional>
#include <memory>

#include "core/base/env.hpp"
#include "store/store.hpp"

namespace pawl::sim {

class StoreSource {
 public:
  StoreSource() = default;
  StoreSource(const StoreSource&) = delete;
  StoreSource& operator=(const StoreSource&) = delete;
  virtual ~StoreSource() = default;
  // Shared: all nodes use the same memory store.
  [[nodiscard]] virtual std::shared_ptr<store::Store> open() = 0;
  // Whether `open` returns the same object each time.
  [[nodiscard]] virtual bool is_one_process() const = 0;
};

// Makes the store of one run; `clock` is the store's clock.
using MakeStores = std::function<std::unique_ptr<StoreSource>(core::Clock& clock)>;

[[nodiscard]] std::unique_ptr<StoreSource> make_memory_stores(core::Clock& clock);
// One SQLite file in a temporary folder.
[[nodiscard]] std::unique_ptr<StoreSource> make_sqlite_stores(core::Clock& clock);

}  // namespace pawl::sim
