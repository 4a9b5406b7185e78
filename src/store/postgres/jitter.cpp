#include "store/postgres/jitter.hpp"

#include "store/postgres/monotonic.hpp"

namespace pawl::store::postgres {

Jitter::Jitter(core::Random* random)
    : random_(random), state_(static_cast<std::uint64_t>(monotonic_now().time_since_epoch().count())) {}

core::Duration Jitter::spread(core::Duration duration) {
  return core::Duration{
      static_cast<std::int64_t>(static_cast<double>(duration.count()) * (1.0 - unit() / 2))};
}

double Jitter::unit() {
  const std::lock_guard lock{mutex_};
  if (random_ != nullptr) return random_->unit();
  // splitmix64
  std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  return static_cast<double>((mixed ^ (mixed >> 31U)) >> 11U) * 0x1.0p-53;
}

}  // namespace pawl::store::postgres
