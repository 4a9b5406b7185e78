#pragma once
// Runs a user's SQL statements inside a transaction of the store. Their changes are committed together with
// what the engine writes, or not at all.

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store {

using SqlValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;  // monostate: null

struct SqlRows {
  std::vector<std::string> columns = {};
  std::vector<std::vector<SqlValue>> rows = {};
  std::int64_t changed = 0;  // rows that were inserted, updated or deleted
};

// The database rejected a user's statement: the statement is wrong, or it violates a constraint of the user's
// tables. Transient failures and an unreachable database are StoreErrors instead.
class SqlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One thread at a time. Statements have parameters $1, $2 and so on, on every database.
class Sql {
 public:
  Sql() = default;
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;
  virtual ~Sql() = default;

  // Runs one statement; rejects those that begin or end a transaction. After a failed statement no other one
  // is run and the transaction must not be committed: databases differ in what they would keep of it.
  [[nodiscard]] SqlRows run(const std::string& statement, std::span<const SqlValue> values);
  [[nodiscard]] bool has_failed() const { return failure_ != nullptr; }
  // Rethrows the StoreError that a statement failed with, even if the user's code caught it.
  void throw_if_passing() const {
    if (is_passing_) std::rethrow_exception(failure_);
  }

 protected:
  [[nodiscard]] virtual SqlRows run_one(const std::string& statement, std::span<const SqlValue> values) = 0;
  // `why` is a SqlError, or a StoreError if the failure is transient.
  [[noreturn]] void fail(std::exception_ptr why, bool is_passing = false) {
    failure_ = std::move(why);
    is_passing_ = is_passing;
    std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
  bool is_passing_ = false;
};

// Returns false to roll back; if has_failed(), it must return false.
using SqlWork = std::function<bool(Sql&)>;

// Whether the first word of the statement begins or ends a transaction or a savepoint.
[[nodiscard]] bool is_about_transactions(std::string_view statement);

}  // namespace pawl::store
