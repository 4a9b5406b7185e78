#pragma once
// How a store is: what it takes up, and what keeps it from being cleaned up. For people; nothing decides by
// it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store_clock.hpp"
#include "core/time.hpp"

namespace pawl::core {

struct TableVitals {
  std::string name = {};
  std::int64_t rows = 0;  // as the database estimates them
  std::int64_t dead_rows = 0;
  std::int64_t bytes = 0;  // with its indexes

  bool operator==(const TableVitals&) const = default;
};

// Dead rows that it may still see cannot be removed.
struct OpenTransaction {
  std::string who = {};
  Duration age = {};

  bool operator==(const OpenTransaction&) const = default;
};

struct StoreVitals {
  TimePoint now = {};  // store time
  ClockState clock = {};
  std::int64_t bytes = 0;
  std::int64_t free_bytes = 0;           // of those: not in use, kept for what comes
  std::int64_t log_bytes = 0;            // of the write-ahead log beside it
  std::vector<TableVitals> tables = {};  // the largest first; none where the database does not say
  std::optional<OpenTransaction> oldest_transaction = {};

  bool operator==(const StoreVitals&) const = default;
};

}  // namespace pawl::core
