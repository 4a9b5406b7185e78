// Calls that are allowed in few places only: they access time, randomness, the environment or errors
// directly.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

struct Ban {
  std::string_view call;
  std::string_view instead;
};

constexpr std::array kBans{
    Ban{"system_clock::now", "take a Clock"},
    Ban{"steady_clock::now", "take a Clock"},
    Ban{"random_device", "take a Random"},
    Ban{"sleep_for", "wait on what is awaited"},
    Ban{"sleep_until", "wait on what is awaited"},
    Ban{"getenv", "read the environment in the CLI and hand the value on"},
    Ban{"catch (", "let it end the unit of work, or make it a Result"},
};

// The places where a banned call is allowed. An unnecessary row fails the test too.
struct Home {
  std::string_view file;
  std::string_view call;
};

constexpr std::array kHomes{
    Home{"src/runtime/env.cpp", "system_clock::now"}, Home{"src/runtime/env.cpp", "steady_clock::now"},
    Home{"src/runtime/env.cpp", "random_device"},
    // Backoff while a server is unreachable, and the age of cached data: real time, never stored.
    Home{"src/store/postgres/monotonic.cpp", "steady_clock::now"},
    Home{"src/server/transport.cpp", "steady_clock::now"},  // deadlines of sockets, also real time
    Home{"src/engine/engine.cpp", "catch ("},               // the engine's loop
    Home{"src/engine/sweeper.cpp", "catch ("},              // without a store, the next sweep tries again
    Home{"src/runtime/guarded.hpp", "catch ("},             // the API dispatcher
    Home{"src/core/base/low_memory.hpp", "catch ("},        // running out of memory ends a unit of work
    Home{"src/cli/main.cpp", "catch ("},                    // an exception of a command becomes its exit code
    Home{"src/cli/parse.cpp", "catch ("},                   // CLI11 throws for wrong usage
    Home{"src/cli/config_file.cpp", "catch ("},             // yaml-cpp throws for an invalid file
    Home{"src/wire/yaml.cpp", "catch ("},                   // also for definitions
    Home{"src/sdk/outcome.cpp", "catch ("},                 // an exception of user code becomes its outcome
    Home{"src/sdk/convert.hpp", "catch ("},                 // a store's exception becomes an Error
    Home{"src/sdk/together.hpp", "catch ("},                // all callers of a batch get the error
    Home{"include/pawl/json.hpp", "catch ("},               // nlohmann/json throws for an invalid value
    Home{"examples/sdk/approval.cpp", "catch ("},           // a user's program: a failed run throws
    Home{"examples/sdk/order_saga.cpp", "catch ("},         // the same
    Home{"examples/survive/worker.cpp", "sleep_for"},       // simulates work
    Home{"examples/survive/show.cpp", "sleep_for"},         // polls at the pace of a human
};

bool is_at_home(const SourceFile& file, const Ban& ban) {
  return std::any_of(kHomes.begin(), kHomes.end(),
                     [&](const Home& home) { return home.file == file.path && home.call == ban.call; });
}

Complaints uses(const SourceFile& file, const Ban& ban) {
  Complaints found;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (code_of(file.lines[i]).find(ban.call) == std::string::npos) continue;
    found.push_back(at(file, i) + "'" + std::string(ban.call) + "': " + std::string(ban.instead));
  }
  return found;
}

std::vector<SourceFile> checked_files() {
  return files_under({"src", "include", "examples"}, {".hpp", ".cpp"});
}

TEST(BannedCalls, AppearOnlyInTheirAllowedFiles) {
  Complaints complaints;
  for (const auto& file : checked_files()) {
    for (const auto& ban : kBans) {
      if (is_at_home(file, ban)) continue;
      for (auto& use : uses(file, ban)) complaints.push_back(std::move(use));
    }
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(BannedCalls, HaveNoUnusedException) {
  const auto files = checked_files();
  Complaints complaints;
  for (const auto& home : kHomes) {
    const bool needed = std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
      return file.path == home.file && !uses(file, {.call = home.call, .instead = {}}).empty();
    });
    if (!needed)
      complaints.push_back(std::string(home.file) + " does not use '" + std::string(home.call) + "'");
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(BannedCalls, AreDetectedInCodeAndNotInCommentsOrStrings) {
  const Ban ban{.call = "getenv", .instead = "no"};
  EXPECT_EQ(uses(file_of("a.cpp", "auto home = std::getenv(\"HOME\");"), ban),
            Complaints{"a.cpp:1: 'getenv': no"});
  EXPECT_EQ(uses(file_of("a.cpp", "// getenv is banned\nlog(\"getenv \\\" getenv\");"), ban), Complaints{});
}

}  // namespace
}  // namespace pawl::tidy
