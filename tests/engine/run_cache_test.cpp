// The run cache returns each entry at most once, and only in the store life that it was cached in.

#include "engine/run_cache.hpp"

#include <gtest/gtest.h>

namespace pawl::engine {
namespace {

const core::RunId kRun{core::first_id_at(core::time_from_micros(1))};

RunCache::Kept kept_in(std::uint64_t life) {
  RunCache::Kept kept;
  kept.hash = "h";
  kept.life = life;
  return kept;
}

TEST(RunCache, ReturnsARunOnce) {
  RunCache cache;
  cache.keep(kRun, kept_in(1));
  const auto kept = cache.take(kRun, 1);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->hash, "h");
  EXPECT_FALSE(cache.take(kRun, 1));
}

TEST(RunCache, DropsRunsOfAReplacedDatabase) {
  RunCache cache;
  cache.keep(kRun, kept_in(1));
  EXPECT_FALSE(cache.take(kRun, 2));
}

}  // namespace
}  // namespace pawl::engine
