#pragma once
// JSON text that was checked before, cut into its parts without being changed. A slice of it is what a
// payload is stored as.
//
// Always: the text is valid (core::json_error found nothing); nothing here looks for mistakes.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::wire {

enum class Kind { null, boolean, number, string, array, object };

[[nodiscard]] Kind kind_of(std::string_view value);
[[nodiscard]] std::string_view name_of(Kind kind);

struct Member {
  std::string key;
  std::string_view value;
};

[[nodiscard]] std::vector<Member> members_of(std::string_view object);
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view array);
// The text of a string value, its escapes undone.
[[nodiscard]] std::string text_of(std::string_view string);

// Without the space around it.
[[nodiscard]] std::string_view trimmed(std::string_view value);

}  // namespace pawl::wire
