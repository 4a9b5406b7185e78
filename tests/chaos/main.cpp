// Chaos: real nodes on a real store, with real kills, pauses and cuts. `./dev chaos` runs it.
#include <cmath>
#include <csignal>
#include <fstream>
#include <optional>
#include <random>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tests/chaos/campaign.hpp"
#include "tests/chaos/faults.hpp"
#include "tests/chaos/plan.hpp"
#include "tests/places/places.hpp"

int main(int argc, char** argv) {
  using namespace pawl::chaos;
  double minutes = 1;
  std::optional<std::uint64_t> seed;
  std::string store;
  std::string json_file;
  std::string fault;
  Campaign campaign{.binary = pawl::testing::pawl_binary()};
  CLI::App app{"Three nodes on one store under load, while nodes, connections and the database are killed"};
  app.add_option("--minutes", minutes, "under fire, on each store")->check(CLI::Range(0.01, 10'000.0));
  app.add_option("--seed", seed, "of what goes wrong and when; any if not given");
  app.add_option("--store", store, "postgres or sqlite; both if not given")
      ->check(CLI::IsMember({"postgres", "sqlite"}));
  app.add_option("--fault", fault, "only this, by its name in the report: 'leader killed at a slot'")
      ->check(CLI::IsMember(std::vector<std::string>{kFaultNames.begin(), kFaultNames.end()}));
  app.add_option("--json", json_file, "Also write the tables of faults to this file, by store");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);

  campaign.seed = seed ? *seed : std::random_device{}();
  campaign.time = std::chrono::milliseconds{std::llround(minutes * 60'000)};
  bool is_well = true;
  bool has_run = false;
  nlohmann::json tables = nlohmann::json::object();
  for (const StoreKind kind : {StoreKind::postgres, StoreKind::sqlite}) {
    if (!store.empty() && store != to_string(kind)) continue;
    for (const Campaign& one : plan_of(kind, fault, campaign)) {
      const Outcome outcome = run_campaign(one);
      is_well = outcome.is_well && is_well;
      has_run = true;
      for (const nlohmann::json& row : json_of(outcome.scores)) tables[to_string(kind)].push_back(row);
    }
  }
  if (!has_run) fmt::print("not seen: {}, which cannot happen on this store\n", fault);
  if (!json_file.empty()) std::ofstream{json_file} << tables.dump(2) << "\n";
  return is_well && has_run ? 0 : 1;
}
