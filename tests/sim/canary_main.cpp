// Shows that the simulation sees: every bug of core/canary.hpp is planted in turn and must be caught. With
// arguments it is the program of `./dev sim`, for one bug: --canary NAME.
#include <fmt/format.h>

#include "core/canary.hpp"
#include "tests/sim/campaign.hpp"
#include "tests/sim/program.hpp"

namespace {

constexpr int kSeedsMost = 60;
constexpr int kLives = 400;

// Whether the bug was caught.
bool try_canary(std::size_t index) {
  using namespace pawl;
  core::plant(static_cast<core::Canary>(index));
  int seeds = 1;
  const sim::Campaign campaign{.runs = kSeedsMost, .lives = kLives};
  const auto result = sim::run_campaign(campaign, [&](int done, const sim::Tally&) { seeds = done + 1; });
  const auto& failure = result.failure;
  if (!failure || !failure->invariant) {
    fmt::print("{:<24}not caught in {} seeds\n{}", core::kCanaryNames[index], kSeedsMost,
               failure ? failure->report : "");
    return false;
  }
  fmt::print("{:<24}caught after {:>2} seeds: {}\n", core::kCanaryNames[index], seeds,
             sim::kInvariantNames[static_cast<std::size_t>(*failure->invariant)]);
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return pawl::sim::run_program(argc, argv, {{"memory", pawl::sim::make_memory_stores}});
  bool is_every_one_caught = true;
  for (std::size_t i = 1; i < pawl::core::kCanaryNames.size(); ++i) is_every_one_caught &= try_canary(i);
  return is_every_one_caught ? 0 : 1;
}
