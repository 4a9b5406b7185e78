#pragma once
// Opens the store at an address: "sqlite:FILE", "postgres://…", "postgres:host=… dbname=…" or "memory:".

#include <memory>
#include <string>

#include "core/base/env.hpp"
#include "core/base/result.hpp"
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

// The number of concurrent reads; further reads wait.
inline constexpr int kReaders = 2;

// Also migrates the store; `wait` sets what happens while another process migrates it. Throws StoreError.
[[nodiscard]] std::unique_ptr<store::Store> open_store(const StoreAddress& address, core::Clock& clock,
                                                       core::Random& random,
                                                       const store::MigrationWait& wait = {},
                                                       int readers = kReaders);
// Null for the memory store, which has no commits to compare.
[[nodiscard]] std::unique_ptr<store::Baseline> open_baseline(const StoreAddress& address);

}  // namespace pawl::client
