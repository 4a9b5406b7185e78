#pragma once
// Result<T>: a value, or the problem that prevented it. It is for outcomes that the caller must handle;
// failures that end a unit of work (the store is gone) are thrown instead. A problem that is not about a
// request has another type.

#include <utility>
#include <variant>

#include "core/base/ensure.hpp"
#include "core/base/problem.hpp"

namespace pawl::core {

struct Done {
  bool operator==(const Done&) const = default;
};

template <typename T, typename ProblemType = Problem>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return task;` and `return problem;` both work.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(ProblemType problem) : content_(std::in_place_index<1>, std::move(problem)) {}

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    PAWL_ENSURE(ok(), "a result is checked before its value is used");
    return std::get<0>(content_);
  }
  [[nodiscard]] const T& value() const& {
    PAWL_ENSURE(ok(), "a result is checked before its value is used");
    return std::get<0>(content_);
  }
  [[nodiscard]] T&& value() && { return std::move(value()); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const ProblemType& problem() const {
    PAWL_ENSURE(!ok(), "only a failed result has a problem");
    return std::get<1>(content_);
  }

  bool operator==(const Result&) const = default;

 private:
  std::variant<T, ProblemType> content_;
};

using Status = Result<Done>;

}  // namespace pawl::core
