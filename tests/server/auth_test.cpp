// Who may do what, beyond the matrix of routes and callers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

TEST_F(Auth, LetsLocalCallersDoEverythingUntilTheFirstToken) {
  EXPECT_EQ(status_of(send("GET", "/v1/default/tasks", "", "")), 200);
  EXPECT_EQ(status_of(make("admin", "*", "")), 201);
  EXPECT_EQ(status_of(send("GET", "/v1/default/tasks", "", "")), 401);
  EXPECT_EQ(status_of(send("GET", "/healthz", "", "")), 200);
}

TEST_F(Auth, ServesCallersFromElsewhereOnlyIfToldAndOnlyUntilTheFirstToken) {
  server::Auth careful{runtime.api(), clock, {}};
  server::Auth insecure{runtime.api(), clock, {.serves_anyone = true}};
  const auto found = wire::match(wire::Method::get, "/v1/default/tasks");
  const server::Request request{.route = found->route, .ns = "default", .is_local = false};
  EXPECT_EQ(careful.allow(request).problem().code, core::ProblemCode::unauthorized);
  EXPECT_TRUE(insecure.allow(request).ok());
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  insecure.forget();
  EXPECT_EQ(insecure.allow(request).problem().code, core::ProblemCode::unauthorized);
}

TEST_F(Auth, NeedsATokenEvenBeforeTheFirstOneWhereThatIsRequired) {
  server::Auth strict{runtime.api(), clock, {.serves_anyone = true, .requires_token = true}};
  const auto found = wire::match(wire::Method::get, "/v1/default/tasks");
  const server::Request request{.route = found->route, .ns = "default", .is_local = true};
  EXPECT_EQ(strict.allow(request).problem().code, core::ProblemCode::unauthorized);
}

TEST_F(Auth, WritesDownWhatWasDenied) {
  const std::string admin = token_in(make("admin", "*", ""));
  EXPECT_EQ(status_of(send("GET", "/v1/default/queues", "", "")), 401);
  const std::string audit = send("GET", "/v1/admin/audit", "", admin);
  EXPECT_NE(audit.find(R"("action":"denied","object":"GET /v1/{ns}/queues")"), std::string::npos) << audit;
  EXPECT_NE(audit.find(R"("action":"token.create")"), std::string::npos) << audit;
  EXPECT_EQ(audit.find(admin), std::string::npos);
}

TEST_F(Auth, NeverShowsASecretAgain) {
  const std::string admin = token_in(make("admin", "*", ""));
  const std::string list = send("GET", "/v1/admin/tokens", "", admin);
  EXPECT_EQ(status_of(list), 200);
  EXPECT_EQ(list.find(admin), std::string::npos);
  EXPECT_EQ(list.find("hash"), std::string::npos);
}

TEST_F(Auth, LetsNoMutatedPathAroundIt) {
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  constexpr std::uint64_t kSeed = 20'261'115;
  SeededRandom chance{kSeed};
  auto client = std::make_unique<RawClient>(front.port());
  int answered = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto all = wire::routes();
    std::string path{all[chance.next() % all.size()].path};
    const std::uint64_t changes = 1 + chance.next() % 3;
    constexpr std::string_view kLetters = "/%2eE.;?#{}aZ0_-~\\";
    for (std::uint64_t c = 0; c < changes; ++c) {
      const std::size_t at = chance.next() % path.size();
      const char letter = kLetters[chance.next() % kLetters.size()];
      if (chance.next() % 2 == 0) {
        path[at] = letter;
      } else {
        path.insert(at, 1, letter);
      }
    }
    const std::string_view open = std::string_view{path}.substr(0, path.find('?'));
    if (open == "/" || open == "/healthz" || open == "/readyz" || path.find('#') != std::string::npos)
      continue;
    client->send(get(path));
    const int status = status_of(client->receive());
    ASSERT_TRUE(status == 401 || status == 404 || status == 405 || status == 400)
        << path << " got " << status << " with seed " << kSeed;
    // A connection serves so many; and one that sent what is not HTTP is closed.
    if (++answered % 900 == 0 || status == 400) client = std::make_unique<RawClient>(front.port());
  }
  EXPECT_GT(answered, 15'000);
}

}  // namespace
}  // namespace pawl::testing
