// pawl bench: measures this machine.

#include "bench/bench.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/store_option.hpp"
#include "cli/supervise.hpp"
#include "client/open_store.hpp"
#include "core/base/problem.hpp"

namespace pawl::cli {

namespace {

using Workload = void (*)(const bench::Options&, const bench::Report&);

core::Duration from_seconds(double seconds) {
  return core::Duration{static_cast<std::int64_t>(seconds * 1e6)};
}

bench::Options options_of(const Input& input, const client::StoreAddress& store) {
  bench::Options options{.store = store,
                         .seconds = from_seconds(input.real("--seconds")),
                         .baseline = input.has("--baseline"),
                         .batch = static_cast<int>(input.integer("--batch")),
                         .workers = static_cast<int>(input.integer("--workers"))};
  if (input.has("--backlog")) options.backlog = static_cast<int>(input.integer("--backlog"));
  if (input.has("--finished")) options.finished = static_cast<int>(input.integer("--finished"));
  if (input.has("--waiting")) options.waiting = static_cast<int>(input.integer("--waiting"));
  if (input.has("--sleeping")) options.sleeping = static_cast<int>(input.integer("--sleeping"));
  if (input.has("--iterations")) options.iterations = static_cast<int>(input.integer("--iterations"));
  if (input.has("--held-seconds")) options.held = from_seconds(input.real("--held-seconds"));
  return options;
}

struct Range {
  const char* flag;
  double least;
  double most;
};

core::Status check_ranges(const Input& input) {
  for (const auto& range :
       {Range{"--seconds", 0.1, 3600}, Range{"--batch", 1, 1000}, Range{"--workers", 1, 1000},
        Range{"--backlog", 0, 1e8}, Range{"--held-seconds", 1, 3600}, Range{"--waiting", 1, 50'000},
        Range{"--finished", 1, 1e8}, Range{"--sleeping", 1, 1e7}, Range{"--iterations", 1'000, 50'000}}) {
    if (!input.has(range.flag)) continue;
    const double value = input.real(range.flag);
    if (value >= range.least && value <= range.most) continue;
    return core::invalid_field(range.flag, fmt::format("must be from {} to {}", range.least, range.most));
  }
  return core::Done{};
}

using HttpWorkload = void (*)(const bench::Options&, const bench::StartServer&, const bench::Report&);

// Measures through a server in its own process.
int measure_http(Context& context, const Input& input, HttpWorkload workload, const bench::Options& options,
                 const bench::Report& report) {
  std::optional<Child> server;
  const auto start = [&](const std::vector<std::string>& settings) -> bench::ServerProcess {
    std::vector<std::string> words{"serve",   "--listen", "127.0.0.1:0",        "--log-level",
                                   "warning", "--store",  input.text("--store")};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    if (server) server->stop();
    auto child = Child::start(std::move(words));
    if (!child) std::exit(context.out.problem("pawl bench", child.problem()));
    server = *std::move(child);
    const std::string line = server->read_line();
    if (line.empty()) std::exit(1);  // the server has printed why
    return {.address = line.substr(line.rfind(' ') + 1), .pid = server->pid()};
  };
  workload(options, start, report);
  server->stop();
  return 0;
}

Handler measure(Workload workload, HttpWorkload http_workload) {
  return [workload, http_workload](Context& context, const Input& input) {
    const auto address = store_named(context, input.text("--store"));
    if (!address) return context.out.problem("pawl bench", address.problem());
    if (const auto checked = check_ranges(input); !checked) {
      return context.out.problem("pawl bench", checked.problem());
    }
    const bench::Report report = [&](const bench::Measurement& measurement) {
      context.out.line(input.has("--json") ? to_json(measurement) : to_row(measurement));
      context.out.flush();
    };
    const bench::Options options = options_of(input, *address);
    if (workload == nullptr || input.has("--http"))
      return measure_http(context, input, http_workload, options, report);
    workload(options, report);
    return 0;
  };
}

struct Row {
  const char* name;
  const char* summary;
  Workload workload;  // null: only over HTTP
  std::vector<Flag> flags = {};
  HttpWorkload http_workload = nullptr;
};

Command command_of(const Row& row) {
  std::vector<Flag> flags{
      {.name = "--store",
       .value = "STORE",
       .summary = "sqlite:FILE, postgres://… or memory:",
       .fallback = "sqlite:pawl-bench.db"},
      {.name = "--seconds",
       .value = "N",
       .summary = "Of each measurement",
       .kind = ValueKind::real,
       .fallback = "5"},
      {.name = "--batch",
       .value = "N",
       .summary = "Tasks in one call",
       .kind = ValueKind::integer,
       .fallback = "100"},
      {.name = "--workers",
       .value = "N",
       .summary = "Workers at once",
       .kind = ValueKind::integer,
       .fallback = "32"},
      {.name = "--baseline",
       .summary = "Also measure one statement and one commit per operation, for comparison",
       .kind = ValueKind::none},
      {.name = "--json", .summary = "One JSON object a line", .kind = ValueKind::none}};
  flags.insert(flags.end(), row.flags.begin(), row.flags.end());
  return {.path = std::string{"bench "} + row.name,
          .summary = row.summary,
          .flags = std::move(flags),
          .example = fmt::format("pawl bench {} --store sqlite:bench.db --baseline --json", row.name),
          .handler = measure(row.workload, row.http_workload)};
}

Flag count_flag(std::string name, std::string summary, std::string fallback) {
  return {.name = std::move(name),
          .value = "N",
          .summary = std::move(summary),
          .kind = ValueKind::integer,
          .fallback = std::move(fallback)};
}

}  // namespace

std::vector<Command> bench_commands() {
  const Flag backlog = count_flag("--backlog", "Future and pending tasks, so many of each", "1000000");
  const Flag held{.name = "--held-seconds",
                  .value = "N",
                  .summary = "How long it is held",
                  .kind = ValueKind::real,
                  .fallback = "120"};
  const Flag waiting = count_flag("--waiting", "Claims that wait", "10000");
  const Flag finished =
      count_flag("--finished", "Finished tasks that are older than their retention", "500000");
  const Flag sleeping = count_flag("--sleeping", "Workflows that sleep for a week", "100000");
  const Flag iterations =
      count_flag("--iterations",
                 "Iterations of the longest loop: runs those of 1000, 10000 and 50000 up to it", "10000");
  const Flag loop_over_http{
      .name = "--http", .summary = "Through a server in its own process", .kind = ValueKind::none};
  const Flag over_http{.name = "--http",
                       .summary = "Through a server in its own process: single and bulk enqueues, drain",
                       .kind = ValueKind::none};
  std::vector<Command> commands;
  for (const Row& row :
       {Row{"jobs",
            "Whole lives, bulk and single enqueues, drain: tasks a second",
            bench::run_jobs,
            {over_http},
            bench::run_http_jobs},
        Row{"memory",
            "Memory of a server, idle and with many waiting claims",
            nullptr,
            {waiting},
            bench::run_http_memory},
        Row{"cold",
            "Time from the start of a server to the first claimed task",
            nullptr,
            {},
            bench::run_http_cold},
        Row{"latency", "From enqueue to the handler on an idle system", bench::run_latency},
        Row{"graph", "What a task of a workflow costs, by the size of the graph", bench::run_graph},
        Row{"steps",
            "Durable functions of five steps, with the SDK: steps a second, and one alone",
            bench::run_steps,
            {over_http},
            bench::run_http_steps},
        Row{"loop",
            "One run of thousands of steps, spawned tasks or children: cost of the last ones against the "
            "first",
            bench::run_loop,
            {iterations, loop_over_http},
            bench::run_http_loop},
        Row{"sleepers", "Memory of sleeping workflows, in this process", bench::run_sleepers, {sleeping}},
        Row{"deep", "The rate with a deep backlog of other queues", bench::run_deep, {backlog}},
        Row{"held", "The rate while a forgotten transaction holds a snapshot", bench::run_held, {held}},
        Row{"retention", "The rate while expired tasks are erased", bench::run_retention, {finished}}}) {
    commands.push_back(command_of(row));
  }
  return commands;
}

}  // namespace pawl::cli
