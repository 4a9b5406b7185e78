#pragma once
// The rows that a statement answered with, read in PostgreSQL's binary format. Columns are named by position:
// the query is in our hands, and looking up names for each row would cost.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/time.hpp"
#include "store/postgres/params.hpp"

struct pg_result;  // libpq's

namespace pawl::store::postgres {

struct ClearResult {
  void operator()(pg_result* result) const;
};

class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result) {}

  [[nodiscard]] int count() const;
  // It tells of no statement but that all of them were told of.
  [[nodiscard]] bool is_end() const;
  // Of statements that are not ours.
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string_view name(int column) const;
  [[nodiscard]] std::uint32_t type(int column) const;  // its object id
  [[nodiscard]] std::int64_t changed() const;          // how many rows
  // What the server says it did, such as COMMIT.
  [[nodiscard]] std::string_view command() const;

  [[nodiscard]] bool is_null(int row, int column) const;
  [[nodiscard]] bool boolean(int row, int column) const;
  [[nodiscard]] std::int32_t int4(int row, int column) const;
  [[nodiscard]] std::int64_t int8(int row, int column) const;
  [[nodiscard]] double float8(int row, int column) const;
  [[nodiscard]] core::TimePoint time(int row, int column) const;
  [[nodiscard]] core::TaskId id(int row, int column) const;
  [[nodiscard]] Address address(int row, int column) const;
  [[nodiscard]] std::string_view text(int row, int column) const;  // as long as the rows live

  [[nodiscard]] std::optional<std::int64_t> int8_or_null(int row, int column) const;
  [[nodiscard]] std::optional<core::TimePoint> time_or_null(int row, int column) const;
  [[nodiscard]] std::optional<core::TaskId> id_or_null(int row, int column) const;
  [[nodiscard]] std::optional<std::string> text_or_null(int row, int column) const;

 private:
  std::unique_ptr<pg_result, ClearResult> result_;
};

}  // namespace pawl::store::postgres
