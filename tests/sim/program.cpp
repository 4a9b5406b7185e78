#include "tests/sim/program.hpp"

#include <chrono>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/canary.hpp"
#include "tests/sim/campaign.hpp"
#include "tests/sim/flow_run.hpp"

namespace pawl::sim {

namespace {

struct Arguments {
  std::optional<std::uint64_t> seed;
  std::optional<int> lives;
  std::optional<int> seconds;
  std::optional<int> runs;
  std::string store = "memory";
  bool is_verbose = false;
  bool has_workflows = false;
  std::string canary;
};

// A progress bar on a terminal, otherwise an occasional line.
class Bar {
 public:
  Bar(int runs, bool is_verbose)
      : runs_(runs), is_terminal_(::isatty(STDOUT_FILENO) == 1), is_verbose_(is_verbose) {}

  void show(int done, const Tally& tally) {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    const std::string text =
        fmt::format("{}/{} runs, {} lives, {} faults, {} s", done, runs_, tally.lives, tally.all_faults(),
                    std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
    if (is_terminal_) {
      const auto filled = static_cast<std::size_t>(30 * done / runs_);
      fmt::print("\r[{:<30}] {} ", std::string(filled, '#'), text);
      if (done == runs_) fmt::print("\n");
    } else if (is_verbose_ || elapsed - said_ > std::chrono::seconds{10} || done == runs_) {
      said_ = elapsed;
      fmt::print("{}\n", text);
    }
    std::fflush(stdout);
  }

 private:
  int runs_;
  bool is_terminal_;
  bool is_verbose_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration said_{};
};

std::optional<int> plant(const std::string& name) {
  if (name.empty()) return std::nullopt;
#ifdef PAWL_CANARIES
  if (core::plant(name)) return std::nullopt;
  fmt::print(stderr, "--canary: no canary is named \"{}\" (docs/canaries.md lists them)\n", name);
#else
  fmt::print(stderr, "--canary: this build has no canaries (the preset asan has them)\n");
#endif
  return 2;
}

// Below these sizes, a campaign is too small to require every observation.
constexpr std::int64_t kLivesForGates = 20'000;
constexpr std::int64_t kFlowsForGates = 3'000;

int finish(const CampaignResult& result, bool is_campaign) {
  if (result.failure) {
    fmt::print("\n{}", result.failure->report);
    return 1;
  }
  fmt::print("{}", account(result.tally));
  if (!is_campaign) {
    fmt::print("no promise was broken\n");
    return 0;
  }
  const auto missing = gaps(result.tally);
  for (const std::string& gap : missing) fmt::print("not seen: {}\n", gap);
  const bool is_vacuous = !missing.empty() && result.tally.lives >= kLivesForGates;
  fmt::print("{}\n", is_vacuous ? "failed: no promise was broken, but not everything was tried"
                                : "no promise was broken");
  return is_vacuous ? 1 : 0;
}

int run_with(const Arguments& arguments, const MakeStores& make_stores) {
  Campaign campaign{.make_stores = make_stores};
  if (arguments.store != "memory") {  // stores on disk are slower
    campaign.runs = 5;
    campaign.lives = 200;
  }
  campaign.lives = arguments.lives.value_or(campaign.lives);
  campaign.runs = arguments.runs.value_or(arguments.seconds ? 1'000'000 : campaign.runs);
  if (arguments.seconds) campaign.time = std::chrono::seconds{*arguments.seconds};
  if (arguments.seed && !arguments.runs) {
    fmt::print("seed {}: {}\n", *arguments.seed, to_string(options_for(*arguments.seed, campaign.lives)));
    return finish(run_seed(campaign, *arguments.seed), false);
  }
  campaign.first_seed = arguments.seed.value_or(1);
  Bar bar{campaign.runs, arguments.is_verbose};
  return finish(run_campaign(campaign, [&](int done, const Tally& tally) { bar.show(done, tally); }), true);
}

// The campaign with workflows: many graph and code runs per seed.
int run_workflows(const Arguments& arguments, const MakeStores& make_stores) {
  const bool is_one = arguments.seed && !arguments.runs;
  const int flows = arguments.lives.value_or(arguments.store == "memory" ? 40 : 10);
  const int runs = is_one ? 1 : arguments.runs.value_or(arguments.seconds ? 1'000'000 : 500);
  const auto start = std::chrono::steady_clock::now();
  FlowTally tally;
  for (int i = 0; i < runs; ++i) {
    const auto result =
        run_flows(arguments.seed.value_or(1) + static_cast<std::uint64_t>(i), flows, make_stores);
    if (!result.failure.empty()) {
      fmt::print("{}to see it again: ./dev sim --workflows --lives {} SEED\n", result.failure, flows);
      return 1;
    }
    tally += result.tally;
    if (arguments.seconds &&
        std::chrono::steady_clock::now() - start > std::chrono::seconds{*arguments.seconds})
      break;
  }
  fmt::print("{}", account(tally));
  const auto missing = is_one ? std::vector<std::string>{} : gaps(tally);
  for (const std::string& gap : missing) fmt::print("not seen: {}\n", gap);
  const bool is_vacuous = !missing.empty() && tally.flows >= kFlowsForGates;
  fmt::print("{}\n", is_vacuous ? "failed: no promise was broken, but not everything was tried"
                                : "no promise was broken");
  return is_vacuous ? 1 : 0;
}

}  // namespace

int run_program(int argc, char** argv, const std::map<std::string, MakeStores>& stores) {
  Arguments arguments;
  CLI::App app{"The deterministic simulation: several engines on one store, with faults"};
  app.add_option("seed", arguments.seed, "run this seed only; with --runs: the first of so many");
  app.add_option("--lives", arguments.lives, "tasks of each run")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seconds", arguments.seconds, "stop after so many seconds")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--runs", arguments.runs, "how many seeds")->check(CLI::Range(1, 100'000'000));
  app.add_option("--store", arguments.store, "memory or sqlite");
  app.add_flag("--workflows", arguments.has_workflows, "simulate workflows; --lives: of each run");
  app.add_flag("--verbose", arguments.is_verbose, "a line for each run");
  app.add_option("--canary", arguments.canary, "plant this bug (of the preset asan only)");
  CLI11_PARSE(app, argc, argv);
  if (const auto error = plant(arguments.canary)) return *error;
  const auto make_stores = stores.find(arguments.store);
  if (make_stores == stores.end()) {
    fmt::print(stderr, "this program has no store {}\n", arguments.store);
    return 2;
  }
  if (arguments.has_workflows) return run_workflows(arguments, make_stores->second);
  return run_with(arguments, make_stores->second);
}

}  // namespace pawl::sim
