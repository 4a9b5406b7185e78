#include <gtest/gtest.h>

#include "worker/runner.hpp"

namespace pawl::worker {
namespace {

TEST(EnvironmentOfAHandler, HasNoSettingOfPawlThatMayHoldASecret) {
  for (const char* name : {"PAWL_TOKEN", "PAWL_TOKEN_FILE", "PAWL_STORE", "PAWL_CONFIG", "PAWL_CLIENT_KEY",
                           "PAWL_TLS_KEY", "PAWL_SOMETHING_NEW"})
    EXPECT_FALSE(is_for_handlers(name)) << name;
}

TEST(EnvironmentOfAHandler, HasWhatSaysWhereTheServerIsAndAllThatIsNotOfPawl) {
  for (const char* name : {"PAWL_ADDRESS", "PAWL_NAMESPACE", "PAWL_CA_CERT", "PATH", "PGPASSWORD", "PAWLA"})
    EXPECT_TRUE(is_for_handlers(name)) << name;
}

}  // namespace
}  // namespace pawl::worker
