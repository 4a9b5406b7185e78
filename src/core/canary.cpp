#include "core/canary.hpp"

namespace pawl::core {

#ifdef PAWL_CANARIES
namespace {
Canary the_planted = Canary::none;  // the one global of the project, and in no build that anyone is given
}

bool planted(Canary canary) { return the_planted == canary; }
void plant(Canary canary) { the_planted = canary; }
#endif

}  // namespace pawl::core
