#include "store/postgres/rows.hpp"

#include <bit>
#include <charconv>
#include <cstring>

#include <libpq-fe.h>

namespace pawl::store::postgres {

void ClearResult::operator()(pg_result* result) const { PQclear(result); }

bool Rows::is_end() const { return PQresultStatus(result_.get()) == PGRES_PIPELINE_SYNC; }

int Rows::count() const { return PQntuples(result_.get()); }

int Rows::columns() const { return PQnfields(result_.get()); }

std::string_view Rows::name(int column) const { return PQfname(result_.get(), column); }

std::uint32_t Rows::type(int column) const { return PQftype(result_.get(), column); }

std::int64_t Rows::changed() const {
  const std::string_view command = PQcmdStatus(result_.get());
  if (command.starts_with("SELECT")) return 0;
  const std::string_view count = PQcmdTuples(result_.get());
  std::int64_t changed = 0;  // also for commands without a count
  std::from_chars(count.data(), count.data() + count.size(), changed);
  return changed;
}

std::string_view Rows::command() const { return PQcmdStatus(result_.get()); }

bool Rows::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }

bool Rows::boolean(int row, int column) const { return *PQgetvalue(result_.get(), row, column) != '\0'; }

std::int32_t Rows::int4(int row, int column) const {
  std::uint32_t value = 0;
  std::memcpy(&value, PQgetvalue(result_.get(), row, column), sizeof value);
  return static_cast<std::int32_t>(__builtin_bswap32(value));
}

std::int64_t Rows::int8(int row, int column) const {
  std::uint64_t value = 0;
  std::memcpy(&value, PQgetvalue(result_.get(), row, column), sizeof value);
  return static_cast<std::int64_t>(__builtin_bswap64(value));
}

double Rows::float8(int row, int column) const { return std::bit_cast<double>(int8(row, column)); }

core::TimePoint Rows::time(int row, int column) const { return from_postgres_time(int8(row, column)); }

core::TaskId Rows::id(int row, int column) const {
  core::TaskId id;
  std::memcpy(id.bytes.data(), PQgetvalue(result_.get(), row, column), id.bytes.size());
  return id;
}

Address Rows::address(int row, int column) const {
  Address address;
  std::memcpy(address.bytes.data(), PQgetvalue(result_.get(), row, column), address.bytes.size());
  return address;
}

std::string_view Rows::text(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::optional<std::int64_t> Rows::int8_or_null(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional{int8(row, column)};
}

std::optional<core::TimePoint> Rows::time_or_null(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional{time(row, column)};
}

std::optional<core::TaskId> Rows::id_or_null(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional{id(row, column)};
}

std::optional<std::string> Rows::text_or_null(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional{std::string{text(row, column)}};
}

}  // namespace pawl::store::postgres
