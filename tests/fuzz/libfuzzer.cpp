// What libFuzzer calls. PAWL_FUZZ_TARGET names the reader; `seeds FOLDER` as the only arguments writes where
// to begin from.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/fuzz/targets.hpp"

namespace {

const pawl::fuzz::Target& chosen() {
  static const pawl::fuzz::Target* const kTarget = [] {
    const char* name = std::getenv("PAWL_FUZZ_TARGET");
    const pawl::fuzz::Target* found = pawl::fuzz::find_target(name == nullptr ? "" : name);
    if (found != nullptr) return found;
    std::fprintf(stderr, "set PAWL_FUZZ_TARGET to one of:");
    for (const pawl::fuzz::Target& target : pawl::fuzz::targets())
      std::fprintf(stderr, " %s", std::string{target.name}.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }();
  return *kTarget;
}

void write_seeds(const std::string& folder) {
  int number = 0;
  for (const std::string_view seed : chosen().seeds)
    std::ofstream{folder + "/seed-" + std::to_string(++number), std::ios::binary} << seed;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 2 && std::string{(*arguments)[1]} == "list") {
    for (const pawl::fuzz::Target& target : pawl::fuzz::targets())
      std::printf("%s\n", std::string{target.name}.c_str());
    std::exit(0);
  }
  if (*count == 3 && std::string{(*arguments)[1]} == "seeds") {
    write_seeds((*arguments)[2]);
    std::exit(0);
  }
  (void)chosen();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen().read({reinterpret_cast<const char*>(data), size});
  return 0;
}
