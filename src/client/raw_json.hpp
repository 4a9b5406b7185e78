#pragma once
// Slices of JSON text, so that a payload is forwarded byte for byte. All functions need valid JSON (see
// core::envelope_error); a slice points into the text it was taken from.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/writer.hpp"

namespace pawl::client {

// The value of a member of an object; none if the text is not an object or has no such member. Of several
// members with the same name, the first.
[[nodiscard]] std::optional<std::string_view> raw_member(std::string_view object, std::string_view name);
[[nodiscard]] std::vector<std::string_view> raw_elements(std::string_view array);

// The same value without line breaks: between tokens they are whitespace, and strings contain none.
[[nodiscard]] std::string one_line(std::string_view json);

// Writes an object member by member; `raw` writes JSON unchanged.
class ObjectText {
 public:
  ObjectText& text(std::string_view name, std::string_view value);
  ObjectText& number(std::string_view name, std::int64_t value);
  ObjectText& real(std::string_view name, double value);
  ObjectText& raw(std::string_view name, std::string_view json);
  [[nodiscard]] std::string str() const;

 private:
  wire::Writer out_ = begun();

  static wire::Writer begun() {
    wire::Writer out;
    out.begin_object();
    return out;
  }
};

// ["a","b"]
[[nodiscard]] std::string array_text(const std::vector<std::string>& strings);

}  // namespace pawl::client
