#pragma once
// Fairness between processes that write to the same file. SQLite's write lock goes to the process that
// requests it at the right moment, and a process that commits group after group requests it right after
// releasing it, so that other processes could wait for long.
//
// A writer enters the turnstile before it requests the write lock and leaves it once it has the lock. So a
// process that has just committed cannot overtake a waiting one. Only fairness depends on it: other processes
// pass one that stalls inside after a timeout. The turnstile is an operating system lock on a file beside the
// database; it ends with its process.

#include <memory>
#include <string>

#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

class Turnstile {
 public:
  // `seed` is for the jitter of the waits.
  Turnstile(const std::string& path, std::uint64_t seed);
  Turnstile(const Turnstile&) = delete;
  Turnstile& operator=(const Turnstile&) = delete;
  ~Turnstile();

  // Enters on construction and leaves on destruction.
  class Pass {
   public:
    explicit Pass(Turnstile& turnstile) : turnstile_(turnstile) { turnstile_.enter(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { turnstile_.leave(); }

   private:
    Turnstile& turnstile_;
  };

 private:
  void enter();
  void leave() const;

  int file_ = -1;
  bool is_blocked_ = false;  // a process stalls inside; not waited for again until it has left
  BusyWait wait_;
};

}  // namespace pawl::store::sqlite
