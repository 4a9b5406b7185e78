#pragma once
// The command line of the simulation.

#include <map>
#include <string>

#include "tests/sim/stores.hpp"

namespace pawl::sim {

// `stores`: the kinds that this program is linked with.
int run_program(int argc, char** argv, const std::map<std::string, MakeStores>& stores);

}  // namespace pawl::sim
