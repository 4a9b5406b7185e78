#pragma once
// Ctrl-C and SIGTERM for commands that run until the user ends them. The signals are blocked, so they stay
// pending until the command polls for them. Not thread-safe.

#include <csignal>

#include "core/base/time.hpp"

namespace pawl::cli {

class Interrupts {
 public:
  Interrupts();
  // Waits at most `wait` for a signal. Returns whether one arrived.
  [[nodiscard]] bool ended_within(core::Duration wait) const;

 private:
  sigset_t ends_ = {};
};

}  // namespace pawl::cli
