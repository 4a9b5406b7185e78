#include "store/store.hpp"

#include "core/base/ensure.hpp"

namespace pawl::store {

core::Problem StoreError::problem() const {
  using core::ProblemCode;
  switch (kind_) {
    case Kind::retry:
    case Kind::unavailable: return {.code = ProblemCode::unavailable, .detail = what()};
    case Kind::timeout: return {.code = ProblemCode::timeout, .detail = what()};
    case Kind::unknown:
      return {
          .code = ProblemCode::unavailable,
          .detail = std::string{"the store was lost while committing; the outcome is not known: "} + what()};
    case Kind::conflict: return {.code = ProblemCode::conflict, .detail = what()};
    case Kind::invalid: return {.code = ProblemCode::invalid_argument, .detail = what()};
    case Kind::schema: return {.code = ProblemCode::unavailable, .detail = what()};
    case Kind::internal: break;
  }
  return {.code = ProblemCode::internal, .detail = what()};
}

std::unique_ptr<Transaction> Store::begin_with(const SqlWork& /*work*/) {
  PAWL_ENSURE(false, "begin_with is only called on stores with SQL (has_sql)");
  return nullptr;
}

}  // namespace pawl::store
