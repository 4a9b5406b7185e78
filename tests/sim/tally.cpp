#include "tests/sim/tally.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace pawl::sim {

namespace {

constexpr std::int64_t kSweepsLeast = 10;
constexpr double kChiSquareMax = 45;  // nine degrees of freedom: one uniform sample in a million exceeds it
constexpr std::int64_t kJitterSamplesLeast = 500;

template <std::size_t N>
std::int64_t sum(const std::array<std::int64_t, N>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::string transition_name(std::size_t row) {
  const core::TaskTransition& step = core::kTaskTransitions[row];
  return fmt::format("{} {} -> {}", to_string(step.from), to_string(step.event), to_string(step.to));
}

}  // namespace

void Tally::took(core::TaskStatus from, core::TaskEvent event) {
  for (std::size_t row = 0; row < kTransitions; ++row) {
    if (core::kTaskTransitions[row].from == from && core::kTaskTransitions[row].event == event)
      ++transitions[row];
  }
}

void Tally::spread_by(double spread) {
  const double share = std::clamp((spread + 1.0) / 2.0, 0.0, 0.999999);
  ++jitter[static_cast<std::size_t>(share * kJitterBuckets)];
}

std::int64_t Tally::all_faults() const { return sum(faults); }
std::int64_t Tally::jitter_samples() const { return sum(jitter); }

double Tally::jitter_chi_square() const {
  const double expected = static_cast<double>(jitter_samples()) / kJitterBuckets;
  if (expected <= 0) return 0;
  double total = 0;
  for (const std::int64_t count : jitter) {
    const double off = static_cast<double>(count) - expected;
    total += off * off / expected;
  }
  return total;
}

Tally& Tally::operator+=(const Tally& other) {
  sweeps_least = runs == 0 ? other.sweeps_least : std::min(sweeps_least, other.sweeps_least);
  runs += other.runs;
  runs_twice += other.runs_twice;
  lives += other.lives;
  groups += other.groups;
  commits += other.commits;
  executions += other.executions;
  add(faults, other.faults);
  add(done, other.done);
  add(refused, other.refused);
  add(transitions, other.transitions);
  add(examined, other.examined);
  add(jitter, other.jitter);
  return *this;
}

std::vector<std::string> gaps(const Tally& tally) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < tally.faults.size(); ++i) {
    if (tally.faults[i] == 0) found.push_back(fmt::format("no fault {} landed", kFaultNames[i]));
  }
  for (std::size_t i = 0; i < tally.done.size(); ++i) {
    if (tally.done[i] == 0) found.push_back(fmt::format("{} never succeeded", kOperationNames[i]));
    if (tally.refused[i] == 0) found.push_back(fmt::format("{} never was refused", kOperationNames[i]));
  }
  for (std::size_t i = 0; i < tally.transitions.size(); ++i) {
    // Only runs hold tasks and revive canceled ones, and there are no runs here: tests/conformance covers
    // these.
    const core::TaskTransition& step = core::kTaskTransitions[i];
    if (step.event == core::TaskEvent::held || step.from == core::TaskStatus::cancelled) continue;
    if (tally.transitions[i] == 0) found.push_back("the step " + transition_name(i) + " was never taken");
  }
  for (std::size_t i = 0; i < tally.examined.size(); ++i) {
    if (tally.examined[i] == 0)
      found.push_back(fmt::format("nothing was examined for {}", kInvariantNames[i]));
  }
  if (tally.sweeps_least < kSweepsLeast) {
    found.push_back(fmt::format("a run had only {} sweeps", tally.sweeps_least));
  }
  if (tally.jitter_samples() < kJitterSamplesLeast) {
    found.push_back(fmt::format("only {} waits with jitter were seen", tally.jitter_samples()));
  } else if (tally.jitter_chi_square() > kChiSquareMax) {
    found.push_back(fmt::format("waits are not spread evenly: chi-square {:.1f}", tally.jitter_chi_square()));
  }
  return found;
}

std::string account(const Tally& tally) {
  std::string text =
      fmt::format("{} runs ({} of them twice), {} lives, {} executions, {} groups, {} commits\n", tally.runs,
                  tally.runs_twice, tally.lives, tally.executions, tally.groups, tally.commits);
  text += fmt::format("faults landed: {}\n", tally.all_faults());
  for (std::size_t i = 0; i < tally.faults.size(); ++i) {
    text += fmt::format("  {:<24}{:>12}\n", kFaultNames[i], tally.faults[i]);
  }
  text += fmt::format("operations{:>28}{:>12}\n", "done", "refused");
  for (std::size_t i = 0; i < tally.done.size(); ++i) {
    text += fmt::format("  {:<24}{:>12}{:>12}\n", kOperationNames[i], tally.done[i], tally.refused[i]);
  }
  text += "transitions taken\n";
  for (std::size_t i = 0; i < tally.transitions.size(); ++i) {
    text += fmt::format("  {:<46}{:>12}\n", transition_name(i), tally.transitions[i]);
  }
  text += "invariants examined\n";
  for (std::size_t i = 0; i < tally.examined.size(); ++i) {
    text += fmt::format("  {:<58}{:>12}\n", kInvariantNames[i], tally.examined[i]);
  }
  text += fmt::format("sweeps of the run with the fewest: {}; spread of {} waits: chi-square {:.1f}\n",
                      tally.sweeps_least, tally.jitter_samples(), tally.jitter_chi_square());
  return text;
}

}  // namespace pawl::sim
