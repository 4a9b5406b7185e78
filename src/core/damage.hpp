#pragma once
// What the rows of a run say cannot be, as only rows that were changed from outside can: thrown, since it
// ends the unit of work. Others go on.

#include <stdexcept>
#include <string>

namespace pawl::core {

class DamagedRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pawl::core
