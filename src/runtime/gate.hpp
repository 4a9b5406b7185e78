#pragma once
// Where one thread waits for another: a gate that is closed until somebody opens it. A mutex with a condition
// makes three system calls for one wait (whoever wakes from a condition holds a mutex that looks contended,
// and pays for it at the unlock); this makes two, and none if it is open already. Any thread may open it; one
// waits.
//
// Whoever waited may destroy the gate at once: nothing of it is touched after it was opened but its address.

#include <atomic>
#include <cstdint>

namespace pawl::runtime {

class Gate {
 public:
  enum class Reason : std::uint32_t { look = 2, end = 3 };  // why it was opened

  // It stays open for the last reason it was opened for.
  void open(Reason why = Reason::end);
  // Until it is open; why it is.
  Reason wait();
  // By the one who waits. False if it was opened for another reason meanwhile.
  [[nodiscard]] bool close(Reason seen);

 private:
  std::atomic<std::uint32_t> state_ = 0;
};

}  // namespace pawl::runtime
