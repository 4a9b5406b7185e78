#pragma once
// pawl bench: measures this machine.

#include <CLI/CLI.hpp>

namespace pawl::cli {

void add_bench(CLI::App& app, int& exit_code);

}  // namespace pawl::cli
