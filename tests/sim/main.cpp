#include "tests/sim/program.hpp"

int main(int argc, char** argv) {
  using namespace pawl::sim;
  return run_program(argc, argv, {{"memory", make_memory_stores}, {"sqlite", make_sqlite_stores}});
}
