// The entry points for libFuzzer. PAWL_FUZZ_TARGET names the reader; `seeds FOLDER` as the only arguments
// writes the seed corpus. An input that takes more than 50 ms of CPU time or 64 MiB of memory is a finding:
// input from callers must be cheap to read. Prints the maximum cost of all inputs at the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include <sanitizer/allocator_interface.h>

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

constexpr double kMillisecondsMax = 50;
constexpr std::int64_t kBytesMax = 64LL << 20;

struct Cost {
  double milliseconds = 0;
  std::int64_t bytes = 0;
};
Cost most;              // NOLINT: of all inputs, for the destructor below
std::int64_t live = 0;  // NOLINT: what the input has allocated and not freed; libFuzzer has one thread
std::int64_t peak = 0;  // NOLINT: the same, at most

void note_malloc(const volatile void*, std::size_t size) {
  live += static_cast<std::int64_t>(size);
  peak = std::max(peak, live);
}

void note_free(const volatile void* memory) {
  if (memory != nullptr)
    live -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(memory)));
}

double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

Cost cost_of(std::string_view input) {
  live = peak = 0;
  const double begin = processor_milliseconds();
  chosen().read(input);
  return {.milliseconds = processor_milliseconds() - begin, .bytes = peak};
}

void demand_cheap(std::string_view input) {
  Cost cost = cost_of(input);
  // The first try may include one-time initialization, or a page fault.
  for (int again = 0; again < 2 && cost.milliseconds > kMillisecondsMax; ++again) cost = cost_of(input);
  most = {.milliseconds = std::max(most.milliseconds, cost.milliseconds),
          .bytes = std::max(most.bytes, cost.bytes)};
  if (cost.milliseconds <= kMillisecondsMax && cost.bytes <= kBytesMax) return;
  std::fprintf(stderr,
               "fuzz: an input of %zu bytes took %.1f ms (at most %.0f) and %.1f MiB (at most %lld)\n",
               input.size(), cost.milliseconds, kMillisecondsMax, static_cast<double>(cost.bytes) / (1 << 20),
               static_cast<long long>(kBytesMax >> 20));
  std::abort();
}

void print_most() {
  std::fprintf(stderr, "fuzz: most: %.1f ms, %.1f MiB\n", most.milliseconds,
               static_cast<double>(most.bytes) / (1 << 20));
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
  __sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
  std::atexit(print_most);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  demand_cheap({reinterpret_cast<const char*>(data), size});
  return 0;
}
