#pragma once
// JSON conversions shared by tasks, runs and records.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/ids.hpp"
#include "core/task/task.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

using core::field_if;

// Writes null if there is no id.
template <typename Tag>
void id_field(Writer& out, std::string_view name, const std::optional<core::Id<Tag>>& id) {
  if (id) {
    out.field(name, to_string(*id));
  } else {
    out.key(name).null();
  }
}

void write_labels(Writer& out, const core::Labels& labels);
void write_error(Writer& out, const std::optional<core::TaskError>& error);

// For requests.
[[nodiscard]] core::TaskError read_given_error(ObjectReader& in);
// "name:value", as in filters.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> read_label(ObjectReader& in);
// The words of a comma-separated list.
[[nodiscard]] std::vector<std::string> read_comma_list(ObjectReader& in, std::string_view name);

// For responses: a missing value reads as empty.
[[nodiscard]] std::optional<core::TaskError> read_error(ObjectReader& in, std::string_view name = "error");
[[nodiscard]] core::TimePoint read_time(ObjectReader& in, std::string_view name);
[[nodiscard]] int read_int(ObjectReader& in, std::string_view name);
// Empty text in C++ is null in JSON.
[[nodiscard]] std::string text_or_none(ObjectReader& in, std::string_view name);
[[nodiscard]] std::optional<std::string> none_if_empty(const std::string& text);
template <typename Tag>
[[nodiscard]] std::optional<core::Id<Tag>> optional_id(ObjectReader& in, std::string_view name) {
  const auto id = in.optional_uuid(name);
  return id ? std::optional{core::Id<Tag>{*id}} : std::nullopt;
}

}  // namespace pawl::wire
