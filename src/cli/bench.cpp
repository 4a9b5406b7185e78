#include "cli/bench.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "bench/bench.hpp"
#include "client/open_store.hpp"
#include "core/problem.hpp"

namespace pawl::cli {

namespace {

struct BenchFlags {
  std::string store = "sqlite:pawl-bench.db";
  double seconds = 5;
  double held_seconds = 120;
  bool baseline = false;
  bool json = false;
  int batch = 100;
  int workers = 32;
  int backlog = 1'000'000;
};

using Workload = void (*)(const bench::Options&, const bench::Report&);

core::Duration from_seconds(double seconds) {
  return core::Duration{static_cast<std::int64_t>(seconds * 1e6)};
}

int run(const BenchFlags& flags, Workload workload) {
  const auto address = client::parse_store_address(flags.store);
  if (!address) {
    fmt::print(stderr, "pawl bench: {}\n", address.problem().detail);
    return kind_of(address.problem().code).exit_code;
  }
  const bench::Options options{.store = *address,
                               .seconds = from_seconds(flags.seconds),
                               .baseline = flags.baseline,
                               .batch = flags.batch,
                               .workers = flags.workers,
                               .backlog = flags.backlog,
                               .held = from_seconds(flags.held_seconds)};
  const auto report = [&flags](const bench::Measurement& measurement) {
    fmt::print("{}\n", flags.json ? to_json(measurement) : to_row(measurement));
    std::fflush(stdout);
  };
  workload(options, report);
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<BenchFlags>();  // shared by the workloads' callbacks, which outlive this call
  CLI::App* bench = app.add_subcommand("bench", "Measure what this machine and store can do");
  bench->require_subcommand(1);
  bench->footer("Example:\n  pawl bench jobs --store sqlite:bench.db --baseline --json");
  const auto add = [&](const char* name, const char* what, Workload workload) {
    CLI::App* command = bench->add_subcommand(name, what);
    command->add_option("--store", flags->store, "sqlite:FILE, postgres://… or memory:")
        ->capture_default_str();
    command->add_option("--seconds", flags->seconds, "Of each measurement")->check(CLI::Range(0.1, 3600.0));
    command->add_option("--batch", flags->batch, "Tasks in one call")->check(CLI::Range(1, 1000));
    command->add_option("--workers", flags->workers, "Workers at once")->check(CLI::Range(1, 1000));
    command->add_flag("--baseline", flags->baseline,
                      "Also one statement and commit an operation, for the ratio");
    command->add_flag("--json", flags->json, "One JSON object a line");
    command->callback([flags, workload, &exit_code] { exit_code = run(*flags, workload); });
    return command;
  };
  add("jobs", "Whole lives, bulk and single enqueues, drain: tasks a second", bench::run_jobs);
  add("latency", "From enqueue to the handler on an idle system", bench::run_latency);
  add("deep", "The rate with a deep backlog of other queues", bench::run_deep)
      ->add_option("--backlog", flags->backlog, "Future and pending tasks, so many of each")
      ->check(CLI::Range(0, 100'000'000));
  add("held", "The rate while a forgotten transaction holds a snapshot", bench::run_held)
      ->add_option("--held-seconds", flags->held_seconds, "How long it is held")
      ->check(CLI::Range(1.0, 3600.0));
}

}  // namespace pawl::cli
