#pragma once
// JSON text that was checked before, cut into its parts without being changed. A slice of it is what a
// payload is stored as.
//
// Always: the text is valid (json_error found nothing); nothing here looks for mistakes.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::core {

enum class JsonKind { null, boolean, number, string, array, object };

[[nodiscard]] JsonKind kind_of(std::string_view value);
[[nodiscard]] std::string_view name_of(JsonKind kind);

struct Member {
  std::string key;
  std::string_view name;  // the key as it stands, in its quotes
  std::string_view value;
};

[[nodiscard]] std::vector<Member> members_of(std::string_view object);
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view array);
// The text of a string value, its escapes undone.
[[nodiscard]] std::string text_of(std::string_view string);

// Without the space around it.
[[nodiscard]] std::string_view trimmed(std::string_view value);

// How many brackets stand around its innermost value; 0 for what is neither an array nor an object.
[[nodiscard]] int depth_of(std::string_view value);

// The same value without white space between its parts; order and spelling are kept.
[[nodiscard]] std::string compacted(std::string_view value);

enum class NumberForm { as_spelled, by_value };
// The same text for every spelling of a value: keys in order of their bytes, strings escaped in one way, no
// white space. By value, 1 and 1.0 are the same as well; the text is then for comparing only.
[[nodiscard]] std::string canonical(std::string_view value, NumberForm numbers);

}  // namespace pawl::core
