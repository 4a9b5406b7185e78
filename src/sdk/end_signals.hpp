#pragma once
// SIGTERM and SIGINT while workers run: taken over by the first, whatever thread they come to, told to each
// of them, and given back by the last.

#include <cstddef>

#include "core/time.hpp"
#include "net/descriptor.hpp"

namespace pawl::detail {

class EndSignals {
 public:
  EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals();

  // Waits for one, at most so long. Each signal counts once.
  [[nodiscard]] bool came_within(core::Duration wait) const;
  // Ends the process by the last signal that came, as if nothing handled it.
  [[noreturn]] static void end_process();

 private:
  net::Descriptor came_;  // an eventfd
  std::size_t place_ = 0;
};

}  // namespace pawl::detail
