// The command line: finds the command in the table and runs it.

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <pawl/error.hpp>
#include <unistd.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/parse.hpp"
#include "cli/supervise.hpp"
#include "core/low_memory.hpp"
#include "runtime/env.hpp"
#include "store/store.hpp"

extern char** environ;

namespace {

pawl::cli::Environment read_environment() {
  pawl::cli::Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text{*entry};
    const auto equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return environment;
}

bool wants_colours(const pawl::cli::Environment& environment) {
  const auto no_colour = environment.find("NO_COLOR");
  const bool refused = no_colour != environment.end() && !no_colour->second.empty();
  return isatty(STDOUT_FILENO) == 1 && !refused;
}

int run(const pawl::cli::Invocation& invocation, const pawl::cli::Environment& environment, bool is_child) {
  pawl::runtime::SystemClock clock;
  pawl::runtime::SystemRandom random;
  pawl::cli::Printer out{stdout, stderr, wants_colours(environment)};
  pawl::cli::Context context{.environment = environment, .clock = clock, .random = random, .out = out};
  if (!is_child && invocation.command->path != "completion") {
    for (const auto& warning : pawl::cli::variable_warnings(environment)) out.warn(warning);
  }
  try {
    return invocation.command->handler(context, invocation.input);
  } catch (const pawl::store::StoreError& error) {
    return out.problem("pawl", error.problem());
  } catch (const std::filesystem::filesystem_error& error) {
    return out.problem("pawl", {.code = pawl::core::ProblemCode::invalid_state, .detail = error.what()});
  } catch (const std::system_error& error) {  // a thread that could not be started
    return out.problem("pawl", {.code = pawl::core::ProblemCode::resource_exhausted,
                                .detail = std::string{"the operating system refused: "} + error.what()});
  } catch (const std::bad_alloc&) {
    return out.problem(
        "pawl", {.code = pawl::core::ProblemCode::resource_exhausted, .detail = pawl::core::kOutOfMemory});
  } catch (const pawl::Error& error) {  // of a command that is written with the SDK
    const auto code = pawl::core::problem_code_from(error.code());
    return out.problem("pawl",
                       {.code = code.value_or(pawl::core::ProblemCode::internal), .detail = error.detail()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace pawl::cli;
  const auto table = all_commands();
  const auto environment = read_environment();
  const std::vector<std::string> words(argv + 1, argv + argc);
  hide_secrets(argc, argv);
  const auto parsed = parse(table, words, environment);
  if (const auto* shown = std::get_if<TextToShow>(&parsed)) {
    fmt::print("{}", shown->text);
    return 0;
  }
  if (const auto* wrong = std::get_if<WrongUsage>(&parsed)) {
    fmt::print(stderr, "{}\n", wrong->message);
    return 2;
  }
  const bool is_child = argc > 0 && std::string_view{argv[0]} == kChildName;
  return run(std::get<Invocation>(parsed), environment, is_child);
}
