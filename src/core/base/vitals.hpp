#pragma once
// The condition of a store: the space that it uses, and the transaction that prevents its cleanup. For
// display only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/store_clock.hpp"
#include "core/base/time.hpp"

namespace pawl::core {

struct TableVitals {
  std::string name = {};
  std::int64_t rows = 0;  // as estimated by the database
  std::int64_t dead_rows = 0;
  std::int64_t bytes = 0;  // with its indexes

  bool operator==(const TableVitals&) const = default;
};

// A transaction that may still see dead rows, which therefore cannot be removed.
struct OpenTransaction {
  std::string who = {};
  Duration age = {};

  bool operator==(const OpenTransaction&) const = default;
};

struct StoreVitals {
  TimePoint now = {};  // store time
  ClockState clock = {};
  std::int64_t bytes = 0;
  std::int64_t free_bytes = 0;           // unused part of `bytes`, kept for later writes
  std::int64_t log_bytes = 0;            // size of the write-ahead log
  std::vector<TableVitals> tables = {};  // the largest first; empty if the database does not report them
  std::optional<OpenTransaction> oldest_transaction = {};

  bool operator==(const StoreVitals&) const = default;
};

}  // namespace pawl::core
