#pragma once
// UUIDv7 ids. They grow with time, so that indexes on them are only appended to.

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/env.hpp"
#include "core/base/time.hpp"

namespace pawl::core {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const Uuid&) const = default;
  // Compares the sixteen bytes in order, as two numbers: maps of ids spend most of their time here.
  std::strong_ordering operator<=>(const Uuid& other) const {
    const std::strong_ordering high = half(0) <=> other.half(0);
    return high != 0 ? high : half(8) <=> other.half(8);
  }
  [[nodiscard]] bool is_nil() const { return *this == Uuid{}; }

 private:
  [[nodiscard]] std::uint64_t half(std::size_t from) const {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + from, sizeof number);
    if constexpr (std::endian::native == std::endian::little) number = __builtin_bswap64(number);
    return number;
  }
};

[[nodiscard]] std::string to_string(const Uuid& id);
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text);

// Distinct types, so that an id of one kind cannot be passed for another.
template <typename Tag>
struct Id : Uuid {
  Id() = default;
  explicit Id(const Uuid& uuid) : Uuid(uuid) {}
};
using TaskId = Id<struct TaskTag>;
using RunId = Id<struct RunTag>;

// Every id that is generated from this time on is greater.
[[nodiscard]] Uuid first_id_at(TimePoint time);

// A deterministic id for the item `number` of `of`, created at `at`. The ids of one owner are ordered by
// time; within a millisecond by the last twelve bits of their numbers.
[[nodiscard]] Uuid derived_id(TimePoint at, const Uuid& of, std::int64_t number);

// Generates strictly increasing ids, even if the clock steps back. Not thread-safe.
class IdGenerator {
 public:
  explicit IdGenerator(Random& random) : random_(random) {}
  [[nodiscard]] Uuid next(TimePoint now);

 private:
  Random& random_;
  std::int64_t last_millis_ = 0;
  std::uint32_t counter_ = 0;  // fills rand_a and the top of rand_b; orders ids within a millisecond
};

struct UuidHash {
  std::size_t operator()(const Uuid& id) const {
    std::uint64_t tail = 0;
    std::memcpy(&tail, id.bytes.data() + 8, sizeof tail);  // the random half is well distributed
    return static_cast<std::size_t>(tail);
  }
};

}  // namespace pawl::core

template <typename Tag>
struct std::hash<pawl::core::Id<Tag>> : pawl::core::UuidHash {};
