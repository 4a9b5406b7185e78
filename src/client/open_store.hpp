#pragma once
// Opens the store that an address names: "sqlite:FILE", "postgres://…", "postgres:host=… dbname=…" or
// "memory:".

#include <memory>
#include <string>

#include "core/env.hpp"
#include "core/result.hpp"
#include "store/baseline.hpp"
#include "store/migrate.hpp"
#include "store/store.hpp"

namespace pawl::client {

enum class StoreType : std::uint8_t { memory, sqlite, postgres };

struct StoreAddress {
  StoreType type = StoreType::sqlite;
  std::string location = {};  // file or connection string
};

[[nodiscard]] core::Result<StoreAddress> parse_store_address(const std::string& address);
[[nodiscard]] std::string name_of(StoreType type);

// So many reads at once; others wait for them.
inline constexpr int kReaders = 2;

// Migrates it too; `wait` says what happens while another process does. Throws StoreError.
[[nodiscard]] std::unique_ptr<store::Store> open_store(const StoreAddress& address, core::Clock& clock,
                                                       core::Random& random,
                                                       const store::MigrationWait& wait = {},
                                                       int readers = kReaders);
// Nothing for the memory store, which has no commits to compare.
[[nodiscard]] std::unique_ptr<store::Baseline> open_baseline(const StoreAddress& address);

}  // namespace pawl::client
