#include "core/base/canary.hpp"

#include <algorithm>

namespace pawl::core {

#ifdef PAWL_CANARIES
namespace {
Canary the_planted = Canary::none;  // the only global variable, and only in sanitizer builds
}

bool planted(Canary canary) { return the_planted == canary; }

bool plant(std::string_view name) {
  const auto* const found = std::find(kCanaryNames.begin(), kCanaryNames.end(), name);
  if (found == kCanaryNames.end()) return false;
  the_planted = static_cast<Canary>(found - kCanaryNames.begin());
  return true;
}
#endif

}  // namespace pawl::core
