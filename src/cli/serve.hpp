#pragma once
// pawl serve: the server.

#include <CLI/CLI.hpp>

namespace pawl::cli {

void add_serve(CLI::App& app, int& exit_code);

}  // namespace pawl::cli
