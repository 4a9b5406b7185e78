#pragma once
// SIGTERM and SIGINT while a worker runs: taken over, whatever thread they come to, and given back
// afterwards. One at a time in a process.

#include <csignal>

#include "core/time.hpp"
#include "net/descriptor.hpp"

namespace pawl::detail {

class EndSignals {
 public:
  EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals();

  // Waits for one, at most so long.
  [[nodiscard]] bool came_within(core::Duration wait) const;

 private:
  net::Descriptor came_;  // an eventfd
  struct sigaction terminate_before_ = {};
  struct sigaction interrupt_before_ = {};
};

}  // namespace pawl::detail
