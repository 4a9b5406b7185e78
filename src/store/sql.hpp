#pragma once
// Statements of a user's own inside one of our transactions, on stores that are databases: what they change
// is committed with what the engine writes, or not at all.

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

// The database refused a user's statement: it is wrong, or a constraint of theirs does not hold. What is only
// a matter of trying again, or of the database being away, is a StoreError.
class SqlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One thread at a time. A statement has parameters $1, $2 and so on, on every database.
class Sql {
 public:
  Sql() = default;
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;
  virtual ~Sql() = default;

  // One statement; refuses those that begin or end a transaction. After one that failed none is run, and the
  // transaction must not be committed: the databases differ in what they would keep of it.
  [[nodiscard]] SqlRows run(const std::string& statement, std::span<const SqlValue> values);
  [[nodiscard]] bool has_failed() const { return failure_ != nullptr; }
  // Throws the StoreError that a statement failed with, also where somebody has caught it.
  void throw_if_passing() const {
    if (is_passing_) std::rethrow_exception(failure_);
  }

 protected:
  [[nodiscard]] virtual SqlRows run_one(const std::string& statement, std::span<const SqlValue> values) = 0;
  // With a SqlError; or with a StoreError, which is passing.
  [[noreturn]] void fail(std::exception_ptr why, bool is_passing = false) {
    failure_ = std::move(why);
    is_passing_ = is_passing;
    std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
  bool is_passing_ = false;
};

// False: nothing is to come of it. Whoever has_failed gives that.
using SqlWork = std::function<bool(Sql&)>;

// Whether its first word begins or ends a transaction, or a part of one.
[[nodiscard]] bool is_about_transactions(std::string_view statement);

}  // namespace pawl::store
