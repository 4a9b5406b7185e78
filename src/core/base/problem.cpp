#include "core/base/problem.hpp"

#include <utility>

#include "core/base/ensure.hpp"

namespace pawl::core {

namespace {

constexpr bool table_follows_the_enum() {
  for (std::size_t i = 0; i < kProblemKinds.size(); ++i) {
    if (static_cast<std::size_t>(kProblemKinds[i].code) != i) return false;
  }
  return true;
}
static_assert(table_follows_the_enum(), "kind_of indexes the table by code");

}  // namespace

const ProblemKind& kind_of(ProblemCode code) {
  const auto index = static_cast<std::size_t>(code);
  PAWL_ENSURE(index < kProblemKinds.size(), "every code has a row");
  return kProblemKinds[index];
}

std::optional<ProblemCode> problem_code_from(std::string_view name) {
  for (const auto& kind : kProblemKinds) {
    if (kind.name == name) return kind.code;
  }
  return std::nullopt;
}

bool is_passing(ProblemCode code) {
  return code == ProblemCode::unavailable || code == ProblemCode::timeout ||
         code == ProblemCode::resource_exhausted || code == ProblemCode::internal;
}

Problem invalid_field(std::string field, std::string message) {
  std::string detail = field + ": " + message;
  return Problem{.code = ProblemCode::invalid_argument,
                 .detail = std::move(detail),
                 .errors = {{.field = std::move(field), .message = std::move(message)}}};
}

}  // namespace pawl::core
