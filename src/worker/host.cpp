#include "worker/host.hpp"

#include <array>

#include <unistd.h>

namespace pawl::worker {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

bool is_hopeless(core::ProblemCode code) {
  return code == core::ProblemCode::unauthorized || code == core::ProblemCode::forbidden ||
         code == core::ProblemCode::invalid_argument || code == core::ProblemCode::not_found;
}

}  // namespace pawl::worker
