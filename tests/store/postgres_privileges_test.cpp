// A role that may only use the schema `pawl` must not gain the rights of the functions' owner.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using postgres_test::Database;
using postgres_test::Session;

constexpr const char* kDefiners =
    "from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'pawl' and p.prosecdef";

class PostgresPrivileges : public ::testing::Test {
 public:
  void SetUp() override {
    migrate_postgres(database.conninfo());
    (void)owner.query("create role " + role);
    (void)owner.query("grant usage on schema pawl to " + role);
    (void)attacker.query("set session authorization " + role);
  }
  void TearDown() override {
    (void)attacker.query("reset session authorization");
    (void)attacker.query("drop owned by " + role);
    (void)attacker.query("drop role " + role);
  }

  // Creates domains with the names of the types of pg_catalog, whose check runs with the rights of the
  // current user.
  void plant_domains() {
    (void)attacker.query(
        fmt::format("create function pg_temp.take_over() returns boolean language plpgsql as $$ begin "
                    "execute 'alter role {} superuser'; return true; "
                    "exception when insufficient_privilege then return true; end $$",
                    role));
    for (const char* type :
         {"text", "json", "uuid", "bytea", "timestamptz", "int4", "int8", "bool", "name"}) {
      (void)attacker.query(
          fmt::format("create domain pg_temp.{0} as pg_catalog.{0} check (pg_temp.take_over())", type));
    }
  }
  // A call with all arguments, to reach the branches that need them.
  static std::string call_of(const std::string& name, const std::string& arguments, const std::string& run) {
    const std::map<std::string, std::string> values{
        {"type", "'t'"},         {"payload", "'{}'"}, {"queue", "'q'"},           {"namespace", "'default'"},
        {"priority", "1"},       {"key", "'k'"},      {"idempotency_key", "'i'"}, {"run_at", "'2100-01-01'"},
        {"workflow", "'w'"},     {"input", "'{}'"},   {"run_key", "'r'"},         {"name", "'n'"},
        {"run", "'" + run + "'"}};
    std::string list;
    for (std::size_t at = 0; at < arguments.size();) {
      const auto end = std::min(arguments.find(',', at), arguments.size());
      const std::string argument = arguments.substr(at, end - at);
      list += (list.empty() ? "" : ", ") + argument + " => " + values.at(argument);
      at = end + 1;
    }
    return fmt::format("select pawl.{}({})", name, list);
  }
  bool is_superuser() {
    return owner.value("select rolsuper from pg_roles where rolname = '" + role + "'") == "t";
  }

  Database database;
  std::string role = database.name() + "_app";
  Session owner{database.conninfo()};
  Session attacker{database.conninfo()};
};

TEST_F(PostgresPrivileges, PreventCallerTypesFromRunningWithOwnerRights) {
  const std::string run = attacker.value("select pawl.start_workflow('w', '{}')");  // for `signal`
  plant_domains();
  const auto functions =
      owner.query(fmt::format("select p.proname, array_to_string(p.proargnames, ',') {} and p.prorettype <> "
                              "'trigger'::regtype order by 1",
                              kDefiners));
  ASSERT_GE(functions.size(), 3U);
  for (const auto& function : functions) {
    const auto bar = function.find('|');
    const std::string call = call_of(function.substr(0, bar), function.substr(bar + 1), run);
    (void)attacker.query(call);
    EXPECT_FALSE(is_superuser()) << call;
    (void)owner.query("alter role " + role + " nosuperuser");
  }
}

TEST_F(PostgresPrivileges, PutTemporaryObjectsLastInEverySearchPath) {
  EXPECT_EQ(owner.value(fmt::format("select count(*) {} and (p.proconfig is null or not "
                                    "'search_path=pg_catalog, pg_temp' = any(p.proconfig))",
                                    kDefiners)),
            "0");
}

TEST_F(PostgresPrivileges, QualifyEveryTypeWithItsSchema) {
  EXPECT_EQ(
      owner.value("select coalesce(string_agg(p.proname, ' '), '') from pg_proc p join pg_namespace n on "
                  "n.oid = p.pronamespace where n.nspname = 'pawl' and p.prosrc ~ "
                  "'(::|[a-z_] )(text|json|jsonb|uuid|bytea|timestamptz|name)( :=|;|\\)|,| ->)'"),
      "");
}

}  // namespace
}  // namespace pawl::store
