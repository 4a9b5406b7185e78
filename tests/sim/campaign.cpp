#include "tests/sim/campaign.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

namespace pawl::sim {

namespace {

volatile std::sig_atomic_t the_seed = 0;  // for the signal handler, which can access nothing else

// A failed assertion in the engine aborts the process: print the seed at least.
void on_abort(int /*signal*/) {
  std::fprintf(stderr, "seed %d failed: an assertion\nto see it again: ./dev sim %d\n",
               static_cast<int>(the_seed), static_cast<int>(the_seed));
}

std::string report_of(const Options& options, const Violation& violation, const std::string& excerpt,
                      bool is_default) {
  const auto name = kInvariantNames[static_cast<std::size_t>(violation.invariant)];
  std::string text = fmt::format("seed {} failed: {}: {}\n", options.seed, name, violation.what);
  text += fmt::format("options: {}\n", to_string(options));
  if (violation.task) text += fmt::format("history of task {}:\n{}", to_string(*violation.task), excerpt);
  text += fmt::format("to see it again: ./dev sim {}", options.seed);
  if (!is_default) text += fmt::format(" --lives {}", options.lives);
  return text + "\n";
}

// Runs the seed again, and records the history of the violation's task.
Failure failure_of(const Options& options, const Campaign& campaign, const RunResult& first) {
  const RunResult again = run(options, campaign.make_stores, first.violation->task);
  if (!again.violation || again.hash != first.hash) {
    return {.seed = options.seed,
            .report = fmt::format("seed {} failed with {}, and did not when it was run again\n", options.seed,
                                  first.violation->what)};
  }
  const bool is_default = options.lives == Campaign{}.lives;
  return {.seed = options.seed,
          .invariant = first.violation->invariant,
          .report = report_of(options, *first.violation, again.excerpt, is_default)};
}

}  // namespace

CampaignResult run_seed(const Campaign& campaign, std::uint64_t seed) {
  the_seed = static_cast<std::sig_atomic_t>(seed);
  const auto before = std::signal(SIGABRT, on_abort);
  const Options options = options_for(seed, campaign.lives);
  const RunResult first = run(options, campaign.make_stores);
  CampaignResult result{.tally = first.tally};
  if (first.violation) {
    result.failure = failure_of(options, campaign, first);
  } else if (seed % 100 == 1) {
    result.tally.runs_twice = 1;
    if (run(options, campaign.make_stores).hash != first.hash) {
      result.failure =
          Failure{.seed = seed,
                  .report = fmt::format("seed {} failed: two runs of it are different\noptions: {}\n", seed,
                                        to_string(options))};
    }
  }
  std::signal(SIGABRT, before);
  return result;
}

CampaignResult run_campaign(const Campaign& campaign, const Progress& progress) {
  CampaignResult total;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < campaign.runs; ++i) {
    CampaignResult one = run_seed(campaign, campaign.first_seed + static_cast<std::uint64_t>(i));
    total.tally += one.tally;
    if (one.failure) {
      total.failure = std::move(one.failure);
      break;
    }
    progress(i + 1, total.tally);
    if (campaign.time && std::chrono::steady_clock::now() - start > *campaign.time) break;
  }
  return total;
}

}  // namespace pawl::sim
