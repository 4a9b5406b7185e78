// The command line: finds the command in the table and runs it.

#include <cstdio>
#include <cstdlib>
#include <exception>
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
#include "cli/log_format.hpp"
#include "cli/parse.hpp"
#include "cli/supervise.hpp"
#include "core/base/ensure.hpp"
#include "core/base/low_memory.hpp"
#include "core/json/json_writer.hpp"
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

// Like the default handler, but the message has the format of the other log lines.
[[noreturn]] void terminate_with_json() {
  std::string why = "no exception";
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "an exception of an unknown type";
  }
  pawl::core::Writer out;
  out.begin_object().field("level", "error").field("what", "terminated").field("why", why).end_object();
  const std::string line = out.take() + "\n";
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
  std::abort();
}

void log_json(pawl::cli::Printer& out, pawl::core::Clock& clock) {
  out.log_json(clock);
  pawl::core::write_failures_as_json();
  std::set_terminate(terminate_with_json);
}

int run(const pawl::cli::Invocation& invocation, const pawl::cli::Environment& environment, bool is_child,
        pawl::core::Clock& clock, pawl::cli::Printer& out) {
  pawl::runtime::SystemRandom random;
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
  } catch (const std::system_error& error) {  // such as a thread that could not be started
    return out.problem("pawl", {.code = pawl::core::ProblemCode::resource_exhausted,
                                .detail = std::string{"the operating system refused: "} + error.what()});
  } catch (const std::bad_alloc&) {
    return out.problem(
        "pawl", {.code = pawl::core::ProblemCode::resource_exhausted, .detail = pawl::core::kOutOfMemory});
  } catch (const pawl::Error& error) {  // from commands that use the SDK
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
  pawl::runtime::SystemClock clock;
  Printer out{stdout, stderr, wants_colours(environment)};
  if (logs_json(words, environment)) log_json(out, clock);
  const auto parsed = parse(table, words, environment);
  if (const auto* shown = std::get_if<TextToShow>(&parsed)) {
    fmt::print("{}", shown->text);
    return 0;
  }
  if (const auto* wrong = std::get_if<WrongUsage>(&parsed)) {
    out.wrong_usage(wrong->message);
    return 2;
  }
  const bool is_child = argc > 0 && std::string_view{argv[0]} == kChildName;
  return run(std::get<Invocation>(parsed), environment, is_child, clock, out);
}
