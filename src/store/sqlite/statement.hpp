#pragma once
// A prepared statement, and the rows it yields.
//
// Parameters are bound in the order given, columns are read left to right in the order of the SELECT, so that
// the two sides can be laid next to each other. Texts and ids are bound without a copy: what is passed must
// live as long as the Rows (`run` is over when it returns). One thread at a time, as its connection.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/time.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace pawl::store::sqlite {

// The rows of one execution; the statement is free again when it goes out of scope.
class Rows {
 public:
  explicit Rows(sqlite3_stmt* handle) : handle_(handle) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  // Moves to the next row and its first column; false after the last.
  [[nodiscard]] bool next();

  // Each reads one column and moves on.
  [[nodiscard]] std::int64_t int64();
  [[nodiscard]] std::int32_t int32() { return static_cast<std::int32_t>(int64()); }
  [[nodiscard]] bool boolean() { return int64() != 0; }
  [[nodiscard]] double number();
  [[nodiscard]] core::TimePoint time() { return core::time_from_micros(int64()); }
  [[nodiscard]] std::string_view text();  // good until the next row; empty for null
  [[nodiscard]] std::string string() { return std::string{text()}; }
  [[nodiscard]] core::RawJson json() { return core::RawJson{string()}; }
  [[nodiscard]] core::TaskId task_id();
  [[nodiscard]] std::string id_text();  // for messages, also of an id that is none; empty for null
  [[nodiscard]] std::optional<std::int64_t> optional_int64();
  [[nodiscard]] std::optional<core::TimePoint> optional_time();
  [[nodiscard]] std::optional<core::Duration> optional_duration();
  [[nodiscard]] std::optional<std::string> optional_string();

 private:
  [[nodiscard]] bool is_null() const;

  sqlite3_stmt* handle_;
  int column_ = 0;
};

// A text that is gone before the statement runs.
struct Copied {
  std::optional<std::string> text;
};

class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Runs to the end and returns how many rows it changed.
  template <typename... Values>
  int run(const Values&... values) {
    bind_all(values...);
    return run_bound();
  }

  // For an INSERT of several rows: start, add each, run with them all.
  void start_rows() { added_ = 0; }
  template <typename... Values>
  void add_row(const Values&... values) {
    (bind(++added_, values), ...);
  }
  int run_added() {
    check_bound(added_);
    return run_bound();
  }

  template <typename... Values>
  [[nodiscard]] Rows rows(const Values&... values) {
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
  void bind(int index, std::nullopt_t);
  void bind(int index, const Copied& value);
  void bind(int index, const core::RawJson& value) {  // what was not given is stored as null
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
