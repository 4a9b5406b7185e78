// Declared types are looked up often, and parsed again only after a change.

#include "engine/declared_types.hpp"

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::testing {
namespace {

class DeclaredTypesOfRuns : public ::testing::Test {
 protected:
  std::shared_ptr<const core::DeclaredType> find() {
    return types.find("default", "t", [this](const core::RecordRef&) {
      ++reads;
      return record;
    });
  }
  void store(const std::string& schema) {
    const auto put = core::decide_put_type({.type = {.name = "t", .schema = {schema}}}, {}, clock.now());
    const std::int64_t version = record ? record->version + 1 : 1;
    record = core::Record{.ref = core::task_type_ref("default", "t"),
                          .version = version,
                          .body = put->answer,
                          .updated_at = clock.now()};
  }
  void expire_the_cached_type() { clock.advance(engine::DeclaredTypes::kSeenWithin); }

  ManualClock clock;
  engine::DeclaredTypes types{clock};
  std::optional<core::Record> record;
  int reads = 0;
};

TEST_F(DeclaredTypesOfRuns, AreParsedOnceAsLongAsTheyDoNotChange) {
  store(R"({"enum":[1]})");
  const auto first = find();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(find(), first);
  EXPECT_EQ(reads, 1);
  expire_the_cached_type();
  EXPECT_EQ(find(), first) << "it was read again, and is the same";
  EXPECT_EQ(reads, 2);
  EXPECT_TRUE(first->check_payload({"1"}).ok());
  store(R"({"enum":[2]})");
  expire_the_cached_type();
  const auto second = find();
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(second->check_payload({"1"}).ok());
  EXPECT_TRUE(first->check_payload({"1"}).ok()) << "those who have it keep it";
}

TEST_F(DeclaredTypesOfRuns, AreEvictedWhenDeletedAndParsedAgainWhenRecreated) {
  EXPECT_EQ(find(), nullptr);
  store(R"({"enum":[1]})");
  expire_the_cached_type();
  EXPECT_TRUE(find()->check_payload({"1"}).ok());
  record.reset();
  expire_the_cached_type();
  EXPECT_EQ(find(), nullptr);
  clock.advance(core::Duration{1});
  store(R"({"enum":[2]})");
  expire_the_cached_type();
  EXPECT_TRUE(find()->check_payload({"2"}).ok());
}

}  // namespace
}  // namespace pawl::testing
