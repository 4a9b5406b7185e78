#pragma once
// Where the nodes of a run get their store from: all the same object, or a handle each on one database.

#include <functional>
#include <memory>

#include "core/env.hpp"
#include "store/store.hpp"

namespace pawl::sim {

class StoreSource {
 public:
  StoreSource() = default;
  StoreSource(const StoreSource&) = delete;
  StoreSource& operator=(const StoreSource&) = delete;
  virtual ~StoreSource() = default;
  // Shared: by all nodes for the memory store.
  [[nodiscard]] virtual std::shared_ptr<store::Store> open() = 0;
  // Whether `open` gives the same object each time.
  [[nodiscard]] virtual bool is_one_process() const = 0;
};

// Makes the store of one run; `clock` is the store's clock.
using MakeStores = std::function<std::unique_ptr<StoreSource>(core::Clock& clock)>;

[[nodiscard]] std::unique_ptr<StoreSource> make_memory_stores(core::Clock& clock);
// One SQLite file in a temporary folder.
[[nodiscard]] std::unique_ptr<StoreSource> make_sqlite_stores(core::Clock& clock);

}  // namespace pawl::sim
