// Tokens, and how a user with access to the store regains access without a token.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cli/live_server.hpp"

namespace pawl::testing {
namespace {

using Words = std::vector<std::string>;

class Tokens : public ::testing::Test {
 protected:
  std::string store() const { return "sqlite:" + server.file("pawl.db"); }
  Ended pawl(const Words& words, const std::string& token = "") const {
    auto variables = server.variables();
    if (!token.empty()) variables["PAWL_TOKEN"] = token;
    return run_pawl(words, variables);
  }
  // The secret of the token that the command created.
  std::string made_by(Words words, const std::string& token = "") const {
    words.emplace_back("--json");
    const Ended ended = pawl(words, token);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const auto made = nlohmann::json::parse(ended.out, nullptr, false);
    return made.is_object() ? made.value("token", "") : "";
  }

  LiveServer server;
};

TEST_F(Tokens, WithoutAnAdminAmongThemCauseARecoveryHint) {
  const Ended alone = pawl({"token", "create", "--role", "worker", "--namespace", "orders"});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_NE(alone.err.find("pawl token create --store STORE --role admin --for '*'"), std::string::npos)
      << alone.err;
}

TEST_F(Tokens, OfAnAdminCreateOthersWithoutAHint) {
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*"});
  const auto worker = made_by({"token", "create", "--role", "worker", "--namespace", "orders"}, admin);
  EXPECT_EQ(pawl({"token", "create"}, admin).err, "");
  EXPECT_EQ(pawl({"task", "list", "--namespace", "orders"}, worker).exit_code, 0);
}

TEST_F(Tokens, CanBeRecoveredByTheOwnerOfTheStore) {
  const auto viewer = made_by({"token", "create", "--role", "viewer"});
  for (const auto& token : {std::string{}, viewer}) {
    const Ended refused = pawl({"token", "create", "--role", "admin", "--for", "*"}, token);
    EXPECT_EQ(refused.exit_code, 1);
  }
  EXPECT_NE(pawl({"task", "list"}).err.find("pawl token create --store STORE"), std::string::npos);
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*", "--store", store()});
  EXPECT_EQ(pawl({"token", "list"}, admin).exit_code, 0);
}

TEST_F(Tokens, AreReadFromAFile) {
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*"});
  const std::string path = server.file("token");
  std::ofstream{path} << admin << "\n";
  EXPECT_EQ(pawl({"task", "list", "--token-file", path}).exit_code, 0);
  auto variables = server.variables();
  variables["PAWL_TOKEN_FILE"] = path;
  EXPECT_EQ(run_pawl({"task", "list"}, variables).exit_code, 0);
  EXPECT_EQ(pawl({"task", "list", "--token-file", path}, "another").exit_code, 0)
      << "a flag is over a variable";
  EXPECT_EQ(pawl({"task", "list", "--token-file", path, "--token", admin}).exit_code, 2);
  const Ended missing = pawl({"task", "list", "--token-file", server.file("none")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("token-file"), std::string::npos) << missing.err;
  std::ofstream{path} << std::string(5'000, 'x');
  EXPECT_EQ(pawl({"task", "list", "--token-file", path}).exit_code, 2) << "that is no token";
}

TEST_F(Tokens, AndPasswordsAreHiddenFromTheProcessList) {
  const auto words_of = [](pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  const Program worker{
      {"worker", "--handle", "t=postgres://pawl:of-a-store@db/x", "--token", "secret-of-mine"},
      server.variables()};
  EXPECT_TRUE(await([&] {
    const std::string words = words_of(worker.pid());
    return words.find("--handle") != std::string::npos && words.find("secret-of-mine") == std::string::npos &&
           words.find("of-a-store") == std::string::npos;
  })) << words_of(worker.pid());
}

TEST_F(Tokens, AreListedAndRevokedInTheStore) {
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*", "--name", "ada"});
  const auto listed = pawl({"token", "list", "--store", store(), "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  nlohmann::json in_store = nlohmann::json::parse(listed.out);
  nlohmann::json at_server = nlohmann::json::parse(pawl({"token", "list", "--json"}, admin).out);
  for (nlohmann::json* token : {&in_store, &at_server})
    token->erase("last_used_at");  // the second call uses it
  EXPECT_EQ(in_store, at_server);
  const std::string id = in_store["id"];
  EXPECT_EQ(pawl({"token", "revoke", id, "--store", store()}).exit_code, 0);
  EXPECT_TRUE(await([&] { return pawl({"task", "list"}, admin).exit_code == 1; }));
  EXPECT_EQ(pawl({"token", "revoke", "aaaaaaaaaaaa", "--store", store()}).exit_code, 1);
}

TEST_F(Tokens, AreRotatedAtTheServerAndInTheStore) {
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*"});
  const auto first = made_by({"token", "create", "--role", "worker"}, admin);
  const std::string id = first.substr(std::string{"pawl_w_"}.size(), 12);
  const auto second = made_by({"token", "rotate", id, "--overlap", "1h"}, admin);
  EXPECT_NE(second, first);
  for (const auto& secret : {first, second}) EXPECT_EQ(pawl({"task", "list"}, secret).exit_code, 0);
  const auto third = made_by({"token", "rotate", id, "--overlap", "0s", "--store", store()});
  EXPECT_TRUE(await([&] { return pawl({"task", "list"}, third).exit_code == 0; }));
  EXPECT_TRUE(await([&] { return pawl({"task", "list"}, second).exit_code == 1; }));
  const Ended shown = pawl({"token", "rotate", id}, admin);
  EXPECT_NE(shown.out.find("The secret before is valid until "), std::string::npos) << shown.out;
  EXPECT_EQ(pawl({"token", "rotate", "aaaaaaaaaaaa"}, admin).exit_code, 1);
}

TEST_F(Tokens, OfEnqueuersCannotList) {
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*"});
  const auto enqueuer = made_by({"token", "create", "--role", "enqueuer"}, admin);
  EXPECT_EQ(pawl({"task", "enqueue", "mail"}, enqueuer).exit_code, 0);
  EXPECT_EQ(pawl({"task", "list"}, enqueuer).exit_code, 1);
}

TEST_F(Tokens, OfViewersCannotBeBoundToAQueue) {
  const Ended refused = pawl({"token", "create", "--role", "viewer", "--queue", "mails"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("queues"), std::string::npos) << refused.err;
}

TEST_F(Tokens, AreAuditedInListsAndExports) {
  const auto admin = made_by({"token", "create", "--role", "admin", "--for", "*"});
  (void)made_by({"token", "create", "--role", "worker", "--for", "orders"}, admin);
  const Ended listed = pawl({"audit", "list", "--action", "token.*", "--for", "orders"}, admin);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_NE(listed.out.find("token.create"), std::string::npos) << listed.out;
  EXPECT_NE(pawl({"audit", "list", "--actor", "nobody"}, admin).out.find("ACTION"), std::string::npos);
  const Ended exported = pawl({"audit", "export"}, admin);
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  std::istringstream lines{exported.out};
  std::int64_t before = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto entry = nlohmann::json::parse(line);
    EXPECT_FALSE(entry["hash"].get<std::string>().empty());
    if (before != 0) {
      EXPECT_EQ(entry["sequence"], before - 1) << "whole, newest first";
    }
    before = entry["sequence"];
  }
  EXPECT_EQ(count, 2);
  EXPECT_EQ(before, 1);
}

TEST_F(Tokens, OfAMissingStoreAreNotCreated) {
  const auto none = server.file("none.db");
  EXPECT_NE(pawl({"token", "create", "--role", "admin", "--for", "*", "--store", "sqlite:" + none}).exit_code,
            0);
  EXPECT_FALSE(std::filesystem::exists(none));
  EXPECT_EQ(pawl({"token", "list", "--store", "memory:"}).exit_code, 2);
}

TEST(TokensOfAGuardedServer, AreFirstCreatedInItsStore) {
  const TemporaryFolder folder;
  const auto store = "sqlite:" + folder.path() + "/pawl.db";
  Program server{{"serve", "--listen", "127.0.0.1:0", "--store", store, "--set", "auth.required=true"}};
  const auto line = server.read_line();
  const auto address = line.substr(line.find("http://"));
  const Words create{"token", "create", "--role", "admin", "--for", "*", "--json"};
  EXPECT_EQ(run_pawl(create, {{"PAWL_ADDRESS", address}}).exit_code, 1);
  auto in_store = create;
  in_store.insert(in_store.end(), {"--store", store});
  const Ended made = run_pawl(in_store);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string token = nlohmann::json::parse(made.out)["token"];
  EXPECT_TRUE(await([&] {
    return run_pawl({"task", "list"}, {{"PAWL_ADDRESS", address}, {"PAWL_TOKEN", token}}).exit_code == 0;
  }));
}

}  // namespace
}  // namespace pawl::testing
