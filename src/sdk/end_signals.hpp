#pragma once
// Receives SIGTERM and SIGINT while workers run. The first worker installs the handlers, every worker is
// notified, and the last worker restores the previous handlers.

#include <cstddef>

#include "core/base/time.hpp"
#include "net/descriptor.hpp"

namespace pawl::detail {

class EndSignals {
 public:
  EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals();

  // Waits at most `wait` for a signal. Each signal counts once.
  [[nodiscard]] bool came_within(core::Duration wait) const;
  // Ends the process by the last signal received, as if no handler were installed.
  [[noreturn]] static void end_process();

 private:
  net::Descriptor came_;  // an eventfd
  std::size_t place_ = 0;
};

}  // namespace pawl::detail
