#include "runtime/env.hpp"

#include <bit>
#include <chrono>
#include <ctime>
#include <random>

namespace pawl::runtime {

namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31U);
}

std::uint64_t seed_from_system() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

}  // namespace

core::TimePoint SystemClock::now() {
  return std::chrono::time_point_cast<core::Duration>(std::chrono::system_clock::now());
}

core::MonotonicTime SystemClock::monotonic() {
  return std::chrono::time_point_cast<core::Duration>(std::chrono::steady_clock::now());
}

core::MonotonicTime SystemClock::elapsed() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return core::MonotonicTime{std::chrono::duration_cast<core::Duration>(
      std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec})};
}

SystemRandom::SystemRandom() : SystemRandom(seed_from_system()) {}

SystemRandom::SystemRandom(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t SystemRandom::next() {
  const std::lock_guard lock{mutex_};
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

}  // namespace pawl::runtime
