#pragma once
// Parses request bodies and queries into commands and reports every mistake by field name.

#include <utility>

#include "core/base/result.hpp"
#include "core/json/json.hpp"
#include "server/request.hpp"
#include "wire/percent.hpp"
#include "wire/reader.hpp"

namespace pawl::server {

// The body after checking that it is JSON; an empty body reads as an empty object.
[[nodiscard]] core::Result<std::string> checked_body(const Request& request);

// Reads an object with `read` (ObjectReader& -> T). Fields that `read` does not consume are rejected.
template <typename Read>
auto read_object(const core::Result<std::string>& text, Read read)
    -> core::Result<decltype(read(std::declval<wire::ObjectReader&>()))> {
  if (!text) return text.problem();
  wire::Mistakes mistakes;
  wire::ObjectReader in{*text, "", mistakes};
  auto value = read(in);
  in.finish();
  if (mistakes.any()) return mistakes.problem();
  return value;
}

template <typename Read>
auto read_body(const Request& request, Read read) {
  return read_object(checked_body(request), read);
}

template <typename Read>
auto read_query(const Request& request, Read read) {
  return read_object(wire::query_object(request.query), read);
}

// An integer given as text, as in a query.
[[nodiscard]] std::optional<int> read_number(wire::ObjectReader& in, std::string_view name);

// Parses the task id from a path parameter.
[[nodiscard]] core::Result<core::TaskId> task_id_of(const Request& request, std::size_t parameter);

}  // namespace pawl::server
