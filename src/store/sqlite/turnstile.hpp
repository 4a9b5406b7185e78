#pragma once
// Fairness between the processes on one file. SQLite's write lock goes to whoever asks at the right moment,
// and a process that commits one group after the other asks right after it let go: others could wait for
// long.
//
// Who wants to write passes the turnstile first, and stays in it until the write lock is theirs. So the one
// who just committed cannot overtake the one who waits. Nothing but fairness depends on it: a process that
// stands still inside is passed by after a while. The lock is the operating system's on a file beside the
// database, and ends with its process.

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

  // Inside from the construction on.
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
  bool is_blocked_ = false;  // a process stands still inside: it is not waited for again until it has left
  BusyWait wait_;
};

}  // namespace pawl::store::sqlite
