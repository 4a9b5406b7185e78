#pragma once
// The route table: one row for each call of the HTTP API. Dispatch, the client, /openapi.json and the
// reference are generated from it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "wire/route.hpp"

namespace pawl::wire {

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> parameters = {};  // from the path, in order, decoded
};
// not_found if no path matches.
[[nodiscard]] core::Result<Match> match(Method method, std::string_view path);
// The methods of this path, for the Allow header.
[[nodiscard]] std::vector<Method> methods_of(std::string_view path);

}  // namespace pawl::wire
