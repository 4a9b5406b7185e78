#include <string_view>

#include "examples/survive/survive.hpp"

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view{argv[1]} == "--worker")
    return pawl::examples::run_worker(argv[2], argv[3]);
  return pawl::examples::run_show("/proc/self/exe");
}
