#pragma once
// A prepared statement and its result rows.
//
// Parameters are bound in the order given and columns are read in the order of the SELECT, so that the code
// can be compared with the query. Texts and ids are bound without a copy: they must live as long as the Rows
// (`run` has finished when it returns). One thread at a time, like its connection.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"
#include "core/json/json.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace pawl::store::sqlite {

// The rows of one execution. The destructor resets the statement for its next use.
class Rows {
 public:
  explicit Rows(sqlite3_stmt* handle) : handle_(handle) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  // Moves to the next row and its first column; false after the last row.
  [[nodiscard]] bool next();

  // Each reads one column and advances to the next.
  [[nodiscard]] std::int64_t int64();
  [[nodiscard]] std::int32_t int32() { return static_cast<std::int32_t>(int64()); }
  [[nodiscard]] bool boolean() { return int64() != 0; }
  [[nodiscard]] double number();
  [[nodiscard]] core::TimePoint time() { return core::time_from_micros(int64()); }
  [[nodiscard]] std::string_view text();  // valid until the next row; empty for null
  [[nodiscard]] std::string string() { return std::string{text()}; }
  [[nodiscard]] core::RawJson json() { return core::RawJson{string()}; }
  [[nodiscard]] core::TaskId task_id();
  [[nodiscard]] std::string id_text();  // for messages, also if the id is malformed; empty for null
  [[nodiscard]] std::optional<std::int64_t> optional_int64();
  [[nodiscard]] std::optional<core::TimePoint> optional_time();
  [[nodiscard]] std::optional<core::Duration> optional_duration();
  [[nodiscard]] std::optional<std::string> optional_string();

 private:
  [[nodiscard]] bool is_null() const;

  sqlite3_stmt* handle_;
  int column_ = 0;
};

// A text that does not outlive the call, so it is bound with a copy.
struct Copied {
  std::optional<std::string> text;
};

// The types that are bound by their address: SQLite reads them when the statement runs, not when they are
// bound.
template <typename T>
inline constexpr bool kIsBoundByAddress =
    std::is_base_of_v<core::Uuid, T> || std::is_same_v<T, std::string> || std::is_same_v<T, core::RawJson>;
template <typename T>
inline constexpr bool kIsBoundByAddress<std::optional<T>> = kIsBoundByAddress<T>;
// `T` as deduced from a forwarding reference: a temporary must not be bound by its address.
template <typename T>
inline constexpr bool kMayBeBound = std::is_lvalue_reference_v<T> || !kIsBoundByAddress<std::remove_cv_t<T>>;

class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Runs to completion and returns the number of changed rows.
  template <typename... Values>
  int run(const Values&... values) {
    bind_all(values...);
    return run_bound();
  }

  // A multi-row INSERT: start, add each row, then run.
  void start_rows() { added_ = 0; }
  template <typename... Values>
  void add_row(Values&&... values) {
    static_assert((kMayBeBound<Values> && ...), "the statement would read a temporary after its end");
    (bind(++added_, values), ...);
  }
  int run_added() {
    check_bound(added_);
    return run_bound();
  }

  template <typename... Values>
  [[nodiscard]] Rows rows(Values&&... values) {
    static_assert((kMayBeBound<Values> && ...), "the rows would read a temporary after its end");
    bind_all(values...);
    return Rows{handle_};
  }

 private:
  template <typename... Values>
  void bind_all(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    check_bound(index);
  }

  void bind(int index, std::int64_t value);
  void bind(int index, double value);
  void bind(int index, std::int32_t value) { bind(index, std::int64_t{value}); }
  void bind(int index, bool value) { bind(index, std::int64_t{value}); }
  void bind(int index, std::size_t value) { bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, core::TimePoint value) { bind(index, core::micros(value)); }
  void bind(int index, core::Duration value) { bind(index, std::int64_t{value.count()}); }
  void bind(int index, std::string_view value);
  void bind(int index, const std::string& value) { bind(index, std::string_view{value}); }
  void bind(int index, const core::Uuid& value);
  void bind(int index, const core::Uuid* value) {  // null if there is none
    value == nullptr ? bind(index, std::nullopt) : bind(index, *value);
  }
  void bind(int index, std::nullopt_t);
  void bind(int index, const Copied& value);
  void bind(int index, const core::RawJson& value) {  // empty JSON is stored as null
    if (value.empty()) return bind(index, std::nullopt);
    bind(index, std::string_view{value.text});
  }
  template <typename T>
  void bind(int index, const std::optional<T>& value) {
    if (!value) return bind(index, std::nullopt);
    bind(index, *value);
  }

  void check_bound(int count) const;
  int run_bound();

  sqlite3_stmt* handle_ = nullptr;
  int parameters_ = 0;
  int added_ = 0;
};

}  // namespace pawl::store::sqlite
