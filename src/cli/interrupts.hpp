#pragma once
// Ctrl-C and SIGTERM for commands that go on until they are ended: blocked, so that they wait for us. One
// thread.

#include <csignal>

#include "core/time.hpp"

namespace pawl::cli {

class Interrupts {
 public:
  Interrupts();
  // Waits for one, at most so long.
  [[nodiscard]] bool ended_within(core::Duration wait) const;

 private:
  sigset_t ends_ = {};
};

}  // namespace pawl::cli
