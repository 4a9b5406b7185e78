#include <atomic>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "store/sqlite/sqlite_store.hpp"
#include "tests/sim/stores.hpp"
#include "tests/support/env.hpp"

namespace pawl::sim {

namespace {

class SqliteStores final : public StoreSource {
 public:
  explicit SqliteStores(core::Clock& clock) : clock_(clock) {
    static std::atomic<int> count{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("pawl_sim_" + std::to_string(::getpid()) + "_" + std::to_string(++count));
    std::filesystem::create_directories(folder_);
  }
  SqliteStores(const SqliteStores&) = delete;
  SqliteStores& operator=(const SqliteStores&) = delete;
  ~SqliteStores() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  bool is_one_process() const override { return false; }
  std::shared_ptr<store::Store> open() override {
    return store::open_sqlite({.path = (folder_ / "pawl.db").string(), .clock = &clock_, .random = &random_});
  }

 private:
  core::Clock& clock_;
  testing::SeededRandom random_{7};  // for waits while opening: no result depends on it
  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<StoreSource> make_sqlite_stores(core::Clock& clock) {
  return std::make_unique<SqliteStores>(clock);
}

}  // namespace pawl::sim
