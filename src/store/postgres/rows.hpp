#pragma once
// The rows in the answer to a statement, read in PostgreSQL's binary format. Columns are addressed by
// position: the queries are our own, and looking up names for each row would cost time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"
#include "store/postgres/params.hpp"

struct pg_result;  // of libpq

namespace pawl::store::postgres {

struct ClearResult {
  void operator()(pg_result* result) const;
};

class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result) {}

  [[nodiscard]] int count() const;
  // The marker that ends the answers of a pipeline, not the answer to a statement.
  [[nodiscard]] bool is_end() const;
  // For users' statements.
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string_view name(int column) const;
  [[nodiscard]] std::uint32_t type(int column) const;  // its object id
  [[nodiscard]] std::int64_t changed() const;          // number of rows
  // The command tag, such as COMMIT.
  [[nodiscard]] std::string_view command() const;

  [[nodiscard]] bool is_null(int row, int column) const;
  [[nodiscard]] bool boolean(int row, int column) const;
  [[nodiscard]] std::int32_t int4(int row, int column) const;
  [[nodiscard]] std::int64_t int8(int row, int column) const;
  [[nodiscard]] double float8(int row, int column) const;
  [[nodiscard]] core::TimePoint time(int row, int column) const;
  [[nodiscard]] core::TaskId id(int row, int column) const;
  [[nodiscard]] Address address(int row, int column) const;
  [[nodiscard]] std::string_view text(int row, int column) const;  // valid as long as the rows

  [[nodiscard]] std::optional<std::int64_t> int8_or_null(int row, int column) const;
  [[nodiscard]] std::optional<core::TimePoint> time_or_null(int row, int column) const;
  [[nodiscard]] std::optional<core::TaskId> id_or_null(int row, int column) const;
  [[nodiscard]] std::optional<std::string> text_or_null(int row, int column) const;

 private:
  std::unique_ptr<pg_result, ClearResult> result_;
};

}  // namespace pawl::store::postgres
