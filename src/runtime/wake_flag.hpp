#pragma once
// Lets one thread wait for another: the gate is closed until a thread opens it. A mutex with a condition
// variable makes three system calls per wait (the woken thread holds a mutex that looks contended, and pays
// for it at the unlock). A gate makes two, and none if it is open already. Any thread may open it; one thread
// waits.
//
// The waiting thread may destroy the gate as soon as `wait` returns: after that, `open` uses only its
// address.

#include <atomic>
#include <cstdint>

namespace pawl::runtime {

class Gate {
 public:
  enum class Reason : std::uint32_t { look = 2, end = 3 };  // why it was opened

  // The gate stays open, with the reason of the last `open`.
  void open(Reason why = Reason::end);
  // Waits until the gate is open; returns the reason.
  Reason wait();
  // Called by the waiting thread. False if the gate was opened for another reason in the meantime.
  [[nodiscard]] bool close(Reason seen);

 private:
  std::atomic<std::uint32_t> state_ = 0;
};

}  // namespace pawl::runtime
