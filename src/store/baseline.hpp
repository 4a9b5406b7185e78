#pragma once
// The conventional task table, for comparison: one table with a status column, one statement and one commit
// per operation. The benchmarks run it on the same database as the engine, so that each figure is also a
// ratio from the same run.

#include <memory>
#include <string>

namespace pawl::store {

// One connection; one thread at a time.
class Baseline {
 public:
  Baseline() = default;
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;
  virtual ~Baseline() = default;

  virtual void enqueue(const std::string& payload) = 0;
  // Claims the oldest pending row and completes it, with one commit each; false if there was none.
  virtual bool run_one() = 0;
  // Keeps a snapshot open until this object is destroyed, like a forgotten transaction that prevents cleanup
  // in the database.
  virtual void hold_snapshot() = 0;
};

[[nodiscard]] std::unique_ptr<Baseline> open_sqlite_baseline(const std::string& path);
[[nodiscard]] std::unique_ptr<Baseline> open_postgres_baseline(const std::string& conninfo);

}  // namespace pawl::store
