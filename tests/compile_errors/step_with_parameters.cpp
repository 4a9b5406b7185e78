// expect: pawl: a step's function takes no other parameters than an optional pawl::Step& first
#include <pawl/pawl.hpp>

void pay(pawl::Workflow& wf) {
  wf.step("pay", [](int amount) { return amount; });
}
