// The table of routes: matching, and the consistency of the table.
#include "wire/routes.hpp"

#include <set>

#include <gtest/gtest.h>

#include "wire/percent.hpp"

namespace pawl::wire {
namespace {

TEST(Routes, AreFoundByMethodAndPath) {
  const auto found = match(Method::get, "/v1/orders/tasks/0190");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->route->call, Call::get_task);
  EXPECT_EQ(found->parameters, (std::vector<std::string>{"orders", "0190"}));
}

TEST(Routes, PreferTheFixedWordToTheParameter) {
  EXPECT_EQ(match(Method::post, "/v1/n/tasks/claim")->route->call, Call::claim_tasks);
  EXPECT_EQ(match(Method::post, "/v1/n/tasks/x/retry")->route->call, Call::retry_task);
  EXPECT_EQ(match(Method::post, "/v1/n/tasks/x/complete")->route->call, Call::report_task);
}

TEST(Routes, DoNotMatchSimilarPaths) {
  for (const char* path : {"", "v1/n/tasks", "/v1/n/tasks/", "/v1//tasks", "//healthz", "/healthz/",
                           "/v1/n/%74asks", "/v1/n/tasks/a/b/c", "/v1/n/queues/%ff", "/v1/n/queues/%4"}) {
    EXPECT_FALSE(match(Method::get, path).ok()) << path;
    EXPECT_FALSE(match(Method::put, path).ok()) << path;
  }
}

TEST(Routes, ListTheMethodsOfAPath) {
  EXPECT_EQ(methods_of("/v1/n/tasks"), (std::vector<Method>{Method::post, Method::get}));
  EXPECT_TRUE(methods_of("/nothing").empty());
}

TEST(Routes, AreUniqueAndHaveARole) {
  std::set<std::pair<Method, std::string_view>> seen;
  for (const Route& route : routes()) {
    EXPECT_TRUE(seen.insert({route.method, route.path}).second) << route.path;
    EXPECT_FALSE(route.summary.empty()) << route.path;
    const bool is_page = route.path == "/" || route.path.starts_with("/assets/");
    const bool is_open = route.path == "/healthz" || route.path == "/readyz" || is_page;
    EXPECT_EQ(!route.role.has_value(), is_open) << route.path;
  }
}

TEST(Percent, EncodingIsDecodedAndEncoded) {
  EXPECT_EQ(percent_decoded("a%2Fb%20c"), "a/b c");
  EXPECT_EQ(percent_decoded("%zz"), std::nullopt);
  EXPECT_EQ(percent_decoded("%ff"), std::nullopt);
  EXPECT_EQ(percent_encoded("a/b cä"), "a%2Fb%20c%C3%A4");
  EXPECT_EQ(*query_object("a=1%262&b=x+y&c"), R"({"a":"1&2","b":"x y","c":""})");
}

}  // namespace
}  // namespace pawl::wire
