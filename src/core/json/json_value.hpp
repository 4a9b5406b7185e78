#pragma once
// Splits checked JSON text into its parts without changing it. Payloads are stored as slices of such text.
//
// Precondition: the text is valid (json_error found nothing). These functions do not validate it.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::core {

enum class JsonKind { null, boolean, number, string, array, object };

[[nodiscard]] JsonKind kind_of(std::string_view value);
[[nodiscard]] std::string_view name_of(JsonKind kind);

struct Member {
  std::string key;
  std::string_view name;  // the key as spelled, in its quotes
  std::string_view value;
};

[[nodiscard]] std::vector<Member> members_of(std::string_view object);
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view array);
// The decoded text of a string value.
[[nodiscard]] std::string text_of(std::string_view string);

// Without surrounding white space.
[[nodiscard]] std::string_view trimmed(std::string_view value);

// The number of brackets around the innermost value; 0 for a value that is neither an array nor an object.
[[nodiscard]] int depth_of(std::string_view value);

// The same value without white space between tokens; order and spelling are preserved.
[[nodiscard]] std::string compacted(std::string_view value);

enum class NumberForm { as_spelled, by_value };
// The same text for every spelling of a value: keys are sorted by their bytes, strings are escaped in one
// way, white space is removed. By value, 1 and 1.0 are the same as well; the text is then only for
// comparisons.
[[nodiscard]] std::string canonical(std::string_view value, NumberForm numbers);

}  // namespace pawl::core
