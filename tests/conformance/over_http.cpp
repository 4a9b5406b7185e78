// With PAWL_TEST_OVER_HTTP set, the suite's calls go through a real server.
#include <cstdlib>

#include "tests/over_http/http_front.hpp"

namespace pawl::testing {
namespace {

class OverHttp : public ::testing::Environment {
 public:
  void SetUp() override {
    if (std::getenv("PAWL_TEST_OVER_HTTP") != nullptr) EngineTest::put_in_front(make_http_front);
  }
};

[[maybe_unused]] const auto* const kOverHttp = ::testing::AddGlobalTestEnvironment(new OverHttp);

}  // namespace
}  // namespace pawl::testing
