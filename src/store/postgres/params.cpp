#include "store/postgres/params.hpp"

#include <bit>
#include <limits>

namespace pawl::store::postgres {

namespace {

constexpr std::int64_t kEpochMicros = 946'684'800'000'000;  // 2000-01-01 after 1970-01-01
constexpr std::size_t kElementBytes = 20;                   // an estimate that fits ids and times

}  // namespace

std::int64_t to_postgres_time(core::TimePoint time) {
  if (time == core::TimePoint::min()) return std::numeric_limits<std::int64_t>::min();
  return core::micros(time) - kEpochMicros;
}

core::TimePoint from_postgres_time(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return core::TimePoint::min();
  return core::time_from_micros(value + kEpochMicros);
}

void put_int4(std::string& out, std::uint32_t value) {
  const std::uint32_t swapped = __builtin_bswap32(value);
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

void put_int8(std::string& out, std::uint64_t value) {
  const std::uint64_t swapped = __builtin_bswap64(value);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

void Params::begin_array(std::string& out, Oid element, std::size_t count) {
  out.reserve(20 + count * kElementBytes);
  put_int4(out, count == 0 ? 0 : 1);  // dimensions
  put_int4(out, 1);                   // may have nulls; the server checks for itself
  put_int4(out, static_cast<std::uint32_t>(element));
  if (count == 0) return;
  put_int4(out, static_cast<std::uint32_t>(count));
  put_int4(out, 1);  // the first index
}

void Params::put_null(std::string& out) { put_int4(out, std::numeric_limits<std::uint32_t>::max()); }

std::vector<const char*> Params::pointers() const {
  std::vector<const char*> pointers;
  pointers.reserve(values_.size());
  for (const Bound& value : values_) pointers.push_back(value.is_null ? nullptr : value.bytes.data());
  return pointers;
}

std::vector<int> Params::lengths() const {
  std::vector<int> lengths;
  lengths.reserve(values_.size());
  for (const Bound& value : values_) lengths.push_back(static_cast<int>(value.bytes.size()));
  return lengths;
}

}  // namespace pawl::store::postgres
