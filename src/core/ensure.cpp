#include "core/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace pawl::core {

void ensure_failed(const char* file, int line, const char* why) {
  std::fprintf(stderr, "pawl: broken invariant at %s:%d: %s\n", file, line, why);
  std::abort();
}

}  // namespace pawl::core
