#pragma once
// Parameters of a statement in PostgreSQL's binary format. A batch is bound as one array per column: each
// column is a function of the row, and its C++ type determines the array type.
//
//   params.column(writes, [](const TaskWrite* write) { return write->record->id; });   // uuid[]
//
// The statement must cast each parameter ($1::uuid[]), so that the server expects the type that is sent.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"

namespace pawl::store::postgres {

// Microseconds since 2000, PostgreSQL's epoch; TimePoint::min() is -infinity.
[[nodiscard]] std::int64_t to_postgres_time(core::TimePoint time);
[[nodiscard]] core::TimePoint from_postgres_time(std::int64_t value);

// Object ids of the types we use, as permanently assigned in pg_type.dat.
enum class Oid : std::uint32_t {
  boolean = 16,
  int8 = 20,
  int4 = 23,
  text = 25,
  tid = 27,
  float8 = 701,
  timestamptz = 1184,
  uuid = 2950
};

// The address of a row in its table (ctid). A row that we have locked keeps it, and can be found without an
// index.
struct Address {
  std::array<char, 6> bytes = {};  // opaque, in wire format
};

// Null for an empty text.
[[nodiscard]] inline std::optional<std::string_view> text_or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

// Appends in network byte order.
void put_int4(std::string& out, std::uint32_t value);
void put_int8(std::string& out, std::uint64_t value);

template <typename T>
struct Encoding;  // kOid, and put: appends the value, preceded by its length

template <>
struct Encoding<bool> {
  static constexpr Oid kOid = Oid::boolean;
  static void put(std::string& out, bool value) {
    put_int4(out, 1);
    out.push_back(value ? '\1' : '\0');
  }
};
template <>
struct Encoding<std::int32_t> {
  static constexpr Oid kOid = Oid::int4;
  static void put(std::string& out, std::int32_t value) {
    put_int4(out, 4);
    put_int4(out, static_cast<std::uint32_t>(value));
  }
};
template <>
struct Encoding<std::int64_t> {
  static constexpr Oid kOid = Oid::int8;
  static void put(std::string& out, std::int64_t value) {
    put_int4(out, 8);
    put_int8(out, static_cast<std::uint64_t>(value));
  }
};
template <>
struct Encoding<double> {
  static constexpr Oid kOid = Oid::float8;
  static void put(std::string& out, double value) {
    put_int4(out, 8);
    put_int8(out, std::bit_cast<std::uint64_t>(value));
  }
};
template <>
struct Encoding<core::TimePoint> {
  static constexpr Oid kOid = Oid::timestamptz;
  static void put(std::string& out, core::TimePoint value) {
    put_int4(out, 8);
    put_int8(out, static_cast<std::uint64_t>(to_postgres_time(value)));
  }
};
template <>
struct Encoding<core::Uuid> {
  static constexpr Oid kOid = Oid::uuid;
  static void put(std::string& out, const core::Uuid& value) {
    put_int4(out, 16);
    out.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  }
};
template <typename Tag>
struct Encoding<core::Id<Tag>> : Encoding<core::Uuid> {};
template <>
struct Encoding<Address> {
  static constexpr Oid kOid = Oid::tid;
  static void put(std::string& out, const Address& value) {
    put_int4(out, static_cast<std::uint32_t>(value.bytes.size()));
    out.append(value.bytes.data(), value.bytes.size());
  }
};
template <>
struct Encoding<std::string_view> {
  static constexpr Oid kOid = Oid::text;
  static void put(std::string& out, std::string_view value) {
    put_int4(out, static_cast<std::uint32_t>(value.size()));
    out.append(value);
  }
};
template <>
struct Encoding<std::string> : Encoding<std::string_view> {};

template <typename T>
struct ValueOf {
  using type = T;
};
template <typename T>
struct ValueOf<std::optional<T>> {
  using type = T;
};

class Params {
 public:
  // A single value; nullopt is sent as null.
  template <typename T>
  void value(const T& value) {
    using Value = typename ValueOf<T>::type;
    std::string& out = begin_value();
    if constexpr (std::is_same_v<T, std::optional<Value>>) {
      if (!value) return make_null();
      Encoding<Value>::put(out, *value);
    } else {
      Encoding<T>::put(out, value);
    }
    out.erase(0, 4);  // a single value is sent with a separate length
  }

  // An array with one element per row.
  template <typename List, typename ElementOf>
  void column(const List& list, ElementOf element_of) {
    using Result = std::remove_cvref_t<decltype(element_of(*list.begin()))>;
    using Value = typename ValueOf<Result>::type;
    std::string& out = begin_value();
    begin_array(out, Encoding<Value>::kOid, list.size());
    for (const auto& row : list) {
      const auto& element = element_of(row);
      if constexpr (std::is_same_v<Result, std::optional<Value>>) {
        if (element) {
          Encoding<Value>::put(out, *element);
        } else {
          put_null(out);
        }
      } else {
        Encoding<Value>::put(out, element);
      }
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(values_.size()); }
  // nullptr for a null value.
  [[nodiscard]] std::vector<const char*> pointers() const;
  [[nodiscard]] std::vector<int> lengths() const;

 private:
  struct Bound {
    std::string bytes;
    bool is_null = false;
  };

  std::string& begin_value() { return values_.emplace_back().bytes; }
  void make_null() { values_.back().is_null = true; }
  static void begin_array(std::string& out, Oid element, std::size_t count);
  static void put_null(std::string& out);

  std::vector<Bound> values_;
};

}  // namespace pawl::store::postgres
