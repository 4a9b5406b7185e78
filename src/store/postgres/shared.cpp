#include "store/postgres/shared.hpp"

namespace pawl::store::postgres {

void Shared::begin_life(std::uint64_t life) {
  lanes.begin_life(life);
  ready_marks.forget();
  fair_marks.forget();
  lease_mark.forget();
  scheduled_mark.forget();
  counts_mark.begin_life(life);
  facts.forget_all();
  leases.forget_all();
  clock.forget_guess();
}

}  // namespace pawl::store::postgres
