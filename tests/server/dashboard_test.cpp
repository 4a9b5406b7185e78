// How the server delivers the dashboard: access, protection headers, and caching. ui/tests tests its behavior
// in a browser.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/openapi.hpp"
#include "tests/server/fixture.hpp"
#include "tests/support/golden.hpp"

namespace pawl::testing {
namespace {

class Dashboard : public ServerTest {
 protected:
  std::string ask(const std::string& path, const std::string& fields = "") const {
    RawClient client{front.port()};
    client.send(get(path, fields + "Connection: close\r\n"));
    return client.receive_all();
  }

  // A build without Node.js has no dashboard and reports so, which is also tested.
  bool is_built() const { return ask("/").find("has no dashboard") == std::string::npos; }
};

const std::string kGzip = "Accept-Encoding: gzip, br\r\n";

TEST_F(Dashboard, ServesThePageWithAStrictPolicy) {
  ASSERT_TRUE(is_built()) << "this build has no dashboard: ./dev test builds it first";
  const std::string answer = ask("/", kGzip);
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_EQ(field_of(answer, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(field_of(answer, "Content-Encoding"), "gzip");
  EXPECT_EQ(field_of(answer, "Cache-Control"), "no-cache");
  EXPECT_EQ(field_of(answer, "X-Content-Type-Options"), "nosniff");
  const std::string policy = field_of(answer, "Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none';")) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
}

TEST_F(Dashboard, IsNotSentAgainToABrowserThatHasIt) {
  ASSERT_TRUE(is_built()) << "this build has no dashboard: ./dev test builds it first";
  const std::string mark = field_of(ask("/", kGzip), "ETag");
  ASSERT_FALSE(mark.empty());
  const std::string again = ask("/", kGzip + "If-None-Match: " + mark + "\r\n");
  EXPECT_EQ(status_of(again), 304);
  EXPECT_EQ(body_of(again), "");
  EXPECT_EQ(status_of(ask("/", kGzip + "If-None-Match: \"other\"\r\n")), 200);
}

TEST_F(Dashboard, ServesThePageUncompressedOnRequest) {
  ASSERT_TRUE(is_built()) << "this build has no dashboard: ./dev test builds it first";
  const std::string packed = ask("/", kGzip);
  const std::string plain = ask("/");
  EXPECT_EQ(status_of(plain), 200);
  EXPECT_EQ(field_of(plain, "Content-Encoding"), "");
  for (const char* name : {"Content-Type", "Cache-Control", "Content-Security-Policy", "Vary",
                           "X-Content-Type-Options", "Referrer-Policy"})
    EXPECT_EQ(field_of(plain, name), field_of(packed, name)) << name;
  EXPECT_TRUE(body_of(plain).starts_with("<!doctype html>")) << body_of(plain);
  EXPECT_TRUE(body_of(plain).ends_with("</html>\n")) << body_of(plain);
}

// Another test verifies the unpacked bytes. This one verifies that every file of the page is served.
TEST_F(Dashboard, ServesEveryAssetUncompressedOnRequest) {
  ASSERT_TRUE(is_built()) << "this build has no dashboard: ./dev test builds it first";
  const std::string page = body_of(ask("/"));
  int found = 0;
  for (std::size_t at = page.find("/assets/"); at != std::string::npos; at = page.find("/assets/", at + 1)) {
    const std::string path = page.substr(at, page.find('"', at) - at);
    const std::string packed = ask(path, kGzip);
    const std::string plain = ask(path);
    EXPECT_EQ(status_of(plain), 200) << path;
    EXPECT_EQ(field_of(plain, "Content-Type"), field_of(packed, "Content-Type")) << path;
    EXPECT_EQ(field_of(plain, "Content-Encoding"), "") << path;
    EXPECT_GT(body_of(plain).size(), body_of(packed).size()) << path;
    ++found;
  }
  EXPECT_GE(found, 2) << page;
}

TEST_F(Dashboard, HasDifferentETagsForCompressedAndPlainBytes) {
  ASSERT_TRUE(is_built()) << "this build has no dashboard: ./dev test builds it first";
  const std::string packed = field_of(ask("/", kGzip), "ETag");
  const std::string plain = field_of(ask("/"), "ETag");
  EXPECT_NE(plain, packed);
  EXPECT_EQ(status_of(ask("/", "If-None-Match: " + plain + "\r\n")), 304);
  EXPECT_EQ(status_of(ask("/", "If-None-Match: " + packed + "\r\n")), 200);
}

TEST_F(Dashboard, ServesNoOtherFiles) {
  for (const char* path :
       {"/assets/none.js", "/assets/..%2findex.html", "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd"})
    EXPECT_EQ(status_of(ask(path, kGzip)), 404) << path;
}

TEST_F(Dashboard, IsTheRedirectTargetForBrowserNavigation) {
  const std::string html = "Accept: text/html\r\n";
  const std::string lost = ask("/dashboard", html);
  EXPECT_EQ(status_of(lost), 302);
  EXPECT_EQ(field_of(lost, "Location"), "/");
  EXPECT_EQ(status_of(ask("/dashboard")), 404);
  EXPECT_EQ(status_of(ask("/v1/default/nothing", html)), 404);
}

// The dashboard's API client is generated from the description that this server serves.
TEST_F(Dashboard, IsBuiltAgainstThisServersDescription) {
  const auto document = nlohmann::ordered_json::parse(server::openapi_document("0.1.0"));
  expect_golden("ui/openapi.json", document.dump(1) + "\n");
}

}  // namespace
}  // namespace pawl::testing
