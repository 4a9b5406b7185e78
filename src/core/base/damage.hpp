#pragma once
// Thrown when a run's rows contradict each other, which only a change from outside can cause. It ends the
// unit of work; other units continue.

#include <stdexcept>
#include <string>

namespace pawl::core {

class DamagedRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pawl::core
