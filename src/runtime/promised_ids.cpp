#include "runtime/promised_ids.hpp"

#include <fmt/format.h>

namespace pawl::runtime {

core::Problem PromisedIds::not_made_yet(const core::Uuid& id) {
  return {.code = core::ProblemCode::unavailable,
          .detail = fmt::format("task {} waits for earlier tasks of its key that are being created; retry",
                                to_string(id))};
}

}  // namespace pawl::runtime
