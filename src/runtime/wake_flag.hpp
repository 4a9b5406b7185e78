#pragma once
// Lets one thread wait until another thread sets the flag. Any thread may set it; one thread waits.
//
// Invariant: the waiting thread may destroy the flag as soon as `wait` returns. After that, `set` uses only
// its address.
//
// Speed: a wait makes two system calls, and none if the flag is set already. A mutex with a condition
// variable makes three, because the woken thread holds a mutex that looks contended and pays for it at the
// unlock. It is correct because all state is one atomic number, which the kernel compares before it blocks.
// Tests: tests/runtime/wake_flag_test.cpp, also under TSan.

#include <atomic>
#include <cstdint>

namespace pawl::runtime {

class WakeFlag {
 public:
  enum class Reason : std::uint32_t { check = 2, done = 3 };  // why it was set

  // The flag stays set, with the reason of the last `set`.
  void set(Reason why = Reason::done);
  // Waits until the flag is set; returns the reason.
  Reason wait();
  // Called by the waiting thread. False if the flag was set for another reason in the meantime.
  [[nodiscard]] bool reset(Reason seen);

 private:
  std::atomic<std::uint32_t> state_ = 0;
};

}  // namespace pawl::runtime
