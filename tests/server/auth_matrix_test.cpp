// Every route with every kind of caller, as a table for review.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"
#include "tests/support/golden.hpp"

namespace pawl::testing {
namespace {

struct Caller {
  std::string name;
  std::string token;
  std::string ns = "default";  // the namespace in its requests
};

class AuthMatrix : public Auth {
 protected:
  // The order matters: the clock steps past the expiry of one token.
  [[nodiscard]] std::vector<Caller> make_callers() {
    const std::string admin = token_in(make("admin", "*", ""));
    EXPECT_FALSE(admin.empty());
    const std::string expiry = core::format_time(clock.now() + std::chrono::hours{1});
    const std::string expired = token_in(make("admin", "*", admin, R"(,"expires_at":")" + expiry + "\""));
    EXPECT_FALSE(expired.empty());
    const std::string revoked = make("admin", "*", admin);
    EXPECT_EQ(status_of(send("DELETE", "/v1/admin/tokens/" + id_in(revoked), "", admin)), 200);
    clock.step(std::chrono::hours{2});
    const std::string forged = admin.substr(0, admin.size() - 1) + (admin.back() == 'a' ? 'b' : 'a');
    std::vector<Caller> callers{{"nobody", ""},
                                {"garbage", "garbage"},
                                {"forged", forged},
                                {"revoked", token_in(revoked)},
                                {"expired", expired},
                                {"viewer", token_in(make("viewer", "default", admin))},
                                {"only_enqueues", token_in(make("enqueuer", "default", admin))},
                                {"only_claims", token_in(make("claimer", "default", admin))},
                                {"worker", token_in(make("worker", "default", admin))},
                                {"operator", token_in(make("operator", "default", admin))},
                                {"admin_of_one", token_in(make("admin", "default", admin))},
                                {"admin", admin}};
    for (const auto* role : {"viewer", "worker", "operator", "admin_of_one"}) {
      const auto own = std::find_if(callers.begin(), callers.end(),
                                    [&](const Caller& caller) { return caller.name == role; });
      callers.push_back({.name = std::string{role} + "_elsewhere", .token = own->token, .ns = "other"});
    }
    return callers;
  }

  // "yes" unless the caller is refused for lack of authorization.
  [[nodiscard]] std::string verdict(const wire::Route& route, const Caller& caller,
                                    const std::string& fields = "") const {
    std::string path{route.path};
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
      const std::string name = path.substr(at, path.find('}', at) - at + 1);
      path.replace(at, name.size(),
                   name == "{ns}"       ? caller.ns
                   : name == "{action}" ? "complete"
                                        : "nothing-there");
    }
    const int status =
        status_of(send(std::string{wire::name_of(route.method)}, path, "", caller.token, fields));
    return status == 401 || status == 403 ? std::to_string(status) : "yes";
  }

  [[nodiscard]] std::string row(const wire::Route& route, const std::vector<Caller>& callers,
                                const std::string& fields = "") const {
    std::string line = fmt::format("{} {}{}\n ", wire::name_of(route.method), route.path,
                                   fields.empty() ? "" : " as events");
    for (const Caller& caller : callers)
      line += fmt::format(" {}:{}", caller.name, verdict(route, caller, fields));
    return line + "\n";
  }
};

TEST_F(AuthMatrix, MatchesTheGoldenFileForEveryRouteAndCaller) {
  const auto callers = make_callers();
  std::string matrix;
  for (const wire::Route& route : wire::routes()) {
    matrix += row(route, callers);
    if (route.is_followed) matrix += row(route, callers, "Accept: text/event-stream\r\n");
  }
  expect_golden("tests/golden/auth_matrix.txt", matrix);
}

const std::set<std::string> kNoGood{"nobody", "garbage", "forged", "revoked", "expired"};

TEST_F(AuthMatrix, LetsEnqueueOnlyAndClaimOnlyTokensReadNothingOfOthers) {
  // Allowed: the description of the API, the caller's own waits, and the steps of tasks that it claimed.
  const std::set<wire::Call> own{wire::Call::openapi, wire::Call::await_notices, wire::Call::list_memo,
                                 wire::Call::get_step};
  for (const Caller& caller : make_callers()) {
    if (!caller.name.starts_with("only_")) continue;
    for (const wire::Route& route : wire::routes()) {
      if (!route.role || route.method != wire::Method::get || own.contains(route.call)) continue;
      EXPECT_EQ(verdict(route, caller), "403") << route.path << " by " << caller.name;
    }
  }
}

TEST_F(AuthMatrix, RejectsInvalidTokensAndLimitsEveryRole) {
  for (const Caller& caller : make_callers()) {
    const auto role = core::role_from(caller.name);
    const bool is_no_good = kNoGood.contains(caller.name);
    for (const wire::Route& route : wire::routes()) {
      if (!route.role) continue;
      SCOPED_TRACE(fmt::format("{} {} by {}", wire::name_of(route.method), route.path, caller.name));
      const std::string seen = verdict(route, caller);
      const bool has_namespace = route.path.starts_with("/v1/{ns}/");
      if (is_no_good) {
        EXPECT_EQ(seen, "401");
      }
      if (role) {
        EXPECT_EQ(seen, *role < *route.role ? "403" : "yes");
      }
      if (caller.ns == "other" && has_namespace) {
        EXPECT_EQ(seen, "403");
      }
    }
  }
}

}  // namespace
}  // namespace pawl::testing
