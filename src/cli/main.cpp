// The command line. One file a noun; each adds its commands to the app.

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/bench.hpp"
#include "cli/serve.hpp"
#include "store/store.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Pawl: tasks and workflows that survive anything"};
  app.name("pawl");
  app.set_version_flag("--version", PAWL_VERSION);
  app.require_subcommand(1);
  app.footer("Example:\n  pawl bench jobs --store sqlite:bench.db --baseline");
  int exit_code = 0;
  pawl::cli::add_serve(app, exit_code);
  pawl::cli::add_bench(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int shown = app.exit(error);
    return shown == 0 ? 0 : 2;  // wrong usage, whatever was wrong with it
  } catch (const pawl::store::StoreError& error) {
    fmt::print(stderr, "pawl: {}\n", error.what());
    return kind_of(error.problem().code).exit_code;
  }
  return exit_code;
}
