#include "core/base/ids.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "core/base/canary.hpp"
#include "core/base/hex.hpp"
#include "core/base/sha256.hpp"

namespace pawl::core {

namespace {

constexpr std::uint32_t kCounterMax = 0x3ffffff;  // 26 bits: 12 of rand_a, 14 at the top of rand_b

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_dash_position(std::size_t index) { return index == 8 || index == 13 || index == 18 || index == 23; }

}  // namespace

std::string to_string(const Uuid& id) {
  std::string text(36, '-');
  const std::span<const std::uint8_t> bytes{id.bytes};
  char* to = put_hex(bytes.subspan(0, 4), text.data()) + 1;  // past the dash
  to = put_hex(bytes.subspan(4, 2), to) + 1;
  to = put_hex(bytes.subspan(6, 2), to) + 1;
  to = put_hex(bytes.subspan(8, 2), to) + 1;
  put_hex(bytes.subspan(10), to);
  return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_dash_position(i)) {
      if (text[i] != '-') return std::nullopt;
      ++i;
      continue;
    }
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[byte++] = static_cast<std::uint8_t>(high * 16 + low);
    i += 2;
  }
  return id;
}

namespace {

std::int64_t millis_of(TimePoint time) {
  return std::max<std::int64_t>(
      0, std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count());
}

void put_millis(std::int64_t millis, Uuid& id) {
  const auto time = static_cast<std::uint64_t>(millis);
  for (std::size_t i = 0; i < 6; ++i) id.bytes[i] = static_cast<std::uint8_t>(time >> (40 - 8 * i));
}

}  // namespace

Uuid first_id_at(TimePoint time) {
  Uuid id;
  put_millis(millis_of(time), id);
  return id;
}

Uuid derived_id(TimePoint at, const Uuid& of, std::int64_t number) {
  const Sha256Digest digest = sha256(to_string(of) + ":" + std::to_string(number));
  Uuid id;
  put_millis(millis_of(at), id);
  const auto low = static_cast<std::uint64_t>(number) & 0xfffU;
  id.bytes[6] = static_cast<std::uint8_t>(0x70U | (low >> 8U));
  id.bytes[7] = static_cast<std::uint8_t>(low);
  std::copy_n(digest.begin(), 8, id.bytes.begin() + 8);
  id.bytes[8] = static_cast<std::uint8_t>(0x80U | (id.bytes[8] & 0x3fU));
  return id;
}

Uuid IdGenerator::next(TimePoint now) {
  const std::int64_t millis = millis_of(now);
  const std::uint64_t chance = random_.next();
  if (millis > last_millis_ || planted(Canary::ids_fall_with_the_clock)) {
    last_millis_ = millis;
    counter_ = static_cast<std::uint32_t>(chance >> 48U) & 0xffffU;  // a low start leaves room to count up
  } else if (counter_ < kCounterMax) {
    ++counter_;
  } else {
    ++last_millis_;  // over 67 million ids in a millisecond, or the clock stands still: use the next one
    counter_ = 0;
  }

  Uuid id;
  put_millis(last_millis_, id);
  const std::uint32_t high = counter_ >> 14U;
  const std::uint32_t low = counter_ & 0x3fffU;
  id.bytes[6] = static_cast<std::uint8_t>(0x70U | (high >> 8U));
  id.bytes[7] = static_cast<std::uint8_t>(high);
  id.bytes[8] = static_cast<std::uint8_t>(0x80U | (low >> 8U));
  id.bytes[9] = static_cast<std::uint8_t>(low);
  for (std::size_t i = 0; i < 6; ++i) id.bytes[10 + i] = static_cast<std::uint8_t>(chance >> (8 * i));
  return id;
}

}  // namespace pawl::core
