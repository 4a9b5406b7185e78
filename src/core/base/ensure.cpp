#include "core/base/ensure.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/json/json.hpp"

namespace pawl::core {

namespace {

// Process-wide, because the process ends when it is read.
std::atomic<bool> writes_json = false;

}  // namespace

void write_failures_as_json() { writes_json = true; }

void ensure_failed(const char* file, int line, const char* why) {
  if (writes_json) {
    std::fprintf(stderr,
                 "{\"level\":\"error\",\"what\":\"broken invariant\",\"file\":%s,\"line\":%d,\"why\":%s}\n",
                 json_quote(file).c_str(), line, json_quote(why).c_str());
  } else {
    std::fprintf(stderr, "pawl: broken invariant at %s:%d: %s\n", file, line, why);
  }
  std::abort();
}

}  // namespace pawl::core
