#include "cli/config.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/stores.hpp"

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

class Configuration : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    const auto path = folder.path() + "/pawl.yaml";
    std::ofstream{path} << text;
    return path;
  }
  static std::string refused(const ConfigSources& sources) {
    const auto loaded = load_config(sources);
    return loaded ? "" : loaded.problem().detail;
  }

  testing::TemporaryFolder folder;
};

TEST_F(Configuration, LetsLaterSourcesOverrideEarlierOnes) {
  const Environment environment{
      {"PAWL_RECOVERY_LEASES", "3s"}, {"PAWL_LEADER_TTL", "4s"}, {"PAWL_LOG_LEVEL", "debug"}};
  const auto path = file("recovery: {leases: 2s, stuck: 20s}\nleader.ttl: 2s\n");
  const auto loaded = load_config({.file = path,
                                   .environment = &environment,
                                   .flags = {{"leader.ttl", "5s"}},
                                   .sets = {"log.level=error"}});
  ASSERT_TRUE(loaded.ok());
  const auto& config = *loaded;
  EXPECT_EQ(config.at("recovery.timeouts"), (ConfigValue{"10s", "default"}));
  EXPECT_EQ(config.at("recovery.stuck"), (ConfigValue{"20s", path}));
  EXPECT_EQ(config.at("recovery.leases"), (ConfigValue{"3s", "PAWL_RECOVERY_LEASES"}));
  EXPECT_EQ(config.at("leader.ttl"), (ConfigValue{"5s", "flag"}));
  EXPECT_EQ(config.at("log.level"), (ConfigValue{"error", "--set"}));
  EXPECT_EQ(config.duration("recovery.leases"), 3s);
}

TEST_F(Configuration, RejectsAnUnknownKeyAndSuggestsTheNearest) {
  EXPECT_NE(refused({.sets = {"recovery.lease=1s"}}).find("did you mean 'recovery.leases'?"),
            std::string::npos);
  EXPECT_NE(refused({.file = file("lgo: {level: info}")}).find("did you mean 'log.level'?"),
            std::string::npos);
}

TEST_F(Configuration, RejectsAValueOfTheWrongTypeWithItsOrigin) {
  EXPECT_NE(refused({.sets = {"leader.ttl=soon"}}).find("must be a duration"), std::string::npos);
  EXPECT_NE(refused({.sets = {"auth.required=yes"}}).find("true or false"), std::string::npos);
  EXPECT_NE(refused({.sets = {"limits.payload_max=2MB"}}).find("a size"), std::string::npos);
  EXPECT_NE(refused({.sets = {"log.format=xml"}}).find("text or json"), std::string::npos);
  EXPECT_NE(refused({.sets = {"listen"}}).find("KEY=VALUE"), std::string::npos);
}

TEST_F(Configuration, RejectsADuplicateKey) {
  for (const auto* text : {"listen: a\nlisten: b\n", "log: {level: info}\nlog: {format: json}\n",
                           "log: {level: info}\nlog.level: debug\n"}) {
    EXPECT_NE(refused({.file = file(text)}).find("appears twice"), std::string::npos) << text;
  }
}

TEST_F(Configuration, RejectsAnUnreadableFile) {
  EXPECT_NE(refused({.file = folder.path() + "/none.yaml"}).find("cannot read"), std::string::npos);
  EXPECT_NE(refused({.file = file("a: [")}), "");
  EXPECT_NE(refused({.file = file("listen: [a]")}).find("listen"), std::string::npos);
}

TEST_F(Configuration, RejectsARecursiveOrTooLargeFile) {
  EXPECT_NE(refused({.file = file("a: &x {b: *x}")}).find("nested deeper"), std::string::npos);
  std::string many = "a: &a {b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1}\n";
  for (const char* name : {"l", "m", "n"}) {
    many += std::string{name} + ": &" + name + " {";
    for (char key = 'a'; key < 'k'; ++key)
      many += std::string{key} + ": *" +
              (name[0] == 'l' ? "a" : std::string(1, static_cast<char>(name[0] - 1))) + ", ";
    many += "}\n";
  }
  EXPECT_NE(refused({.file = file(many)}).find("more than 1000 values"), std::string::npos);
  EXPECT_NE(refused({.file = file(std::string(2U << 20U, '#'))}).find("more than 1048576 bytes"),
            std::string::npos);
}

TEST(Variables, WithAnUnknownNameCauseAWarningWithTheNearestName) {
  const auto warnings = variable_warnings({{"PAWL_RECOVERY_LEASE", "1s"}, {"PAWL_ADRESS", "x"}});
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("did you mean 'PAWL_ADDRESS'?"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("did you mean 'PAWL_RECOVERY_LEASES'?"), std::string::npos) << warnings[1];
}

TEST(Variables, OfTheCommandLineOfHandlersAndOfTestsCauseNoWarning) {
  EXPECT_TRUE(variable_warnings({{"PAWL_TOKEN", "t"},
                                 {"PAWL_TOKEN_FILE", "f"},
                                 {"PAWL_LOG_LEVEL", "info"},
                                 {"PAWL_TASK_ID", "7"},
                                 {"PAWL_TEST_POSTGRES", "x"},
                                 {"PAWL_TEST_OTHER", "x"},
                                 {"HOME", "/"}})
                  .empty());
}

TEST_F(Configuration, RoundTripsThroughItsOutput) {
  const auto first = load_config({.sets = {"listen=[::]:80", "store=memory:", "tls.key=it's # mine"}});
  std::string text;
  for (const auto& line : first->lines()) text += line + "\n";
  const auto second = load_config({.file = file(text)});
  ASSERT_TRUE(second.ok()) << second.problem().detail;
  for (const auto& key : config_keys()) {
    EXPECT_EQ(first->text(std::string{key.name}), second->text(std::string{key.name})) << key.name;
  }
}

TEST_F(Configuration, PrintsNoPasswords) {
  for (const auto* store :
       {"store=postgres://me:secret@host/db", "store=postgres:host=h password=secret dbname=d",
        "store=postgres://host/db?user=me&password=secret"}) {
    const auto loaded = load_config({.sets = {store}});
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->lines()[1].find("secret"), std::string::npos) << loaded->lines()[1];
    EXPECT_NE(loaded->lines()[1].find("***"), std::string::npos) << loaded->lines()[1];
  }
}

TEST_F(Configuration, HasDefaultsOfTheRightType) {
  for (const auto& key : config_keys()) {
    Config config;
    EXPECT_TRUE(config.set(std::string{key.name}, {.text = std::string{key.fallback}, .origin = "test"}).ok())
        << key.name;
  }
}

TEST(Sizes, AreParsedWithAUnit) {
  EXPECT_EQ(parse_size("2MiB"), 2'097'152);
  EXPECT_EQ(parse_size("100"), 100);
  EXPECT_EQ(parse_size("1B"), 1);
  EXPECT_EQ(parse_size("9999999999"), 9'999'999'999);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(parse_size("9223372036854775807"), kMost);
  EXPECT_EQ(parse_size("9223372036854775808"), kMost) << "larger numbers do not wrap around";
  EXPECT_EQ(parse_size("9007199254740992KiB"), kMost);
  for (const auto* text : {"", "MiB", "-1", "1.5MiB", "2MB"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

}  // namespace
}  // namespace pawl::cli
