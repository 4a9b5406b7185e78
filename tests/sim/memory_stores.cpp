#include "store/memory/memory_store.hpp"
#include "tests/sim/stores.hpp"

namespace pawl::sim {

namespace {

class MemoryStores final : public StoreSource {
 public:
  explicit MemoryStores(core::Clock& clock) : store_(store::make_memory_store(clock)) {}
  std::shared_ptr<store::Store> open() override { return store_; }
  bool is_one_process() const override { return true; }

 private:
  std::shared_ptr<store::Store> store_;
};

}  // namespace

std::unique_ptr<StoreSource> make_memory_stores(core::Clock& clock) {
  return std::make_unique<MemoryStores>(clock);
}

}  // namespace pawl::sim
