// UUIDv7: layout, order, and parsing.

#include "core/base/ids.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using testing::ManualClock;
using testing::SeededRandom;

struct Ids : ::testing::Test {
  SeededRandom random{1};
  ManualClock clock;
  IdGenerator generator{random};
};

TEST_F(Ids, ContainTheTimeTheVersionAndTheVariant) {
  const Uuid id = generator.next(clock.now());
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i) millis = millis * 256 + id.bytes[i];
  EXPECT_EQ(millis, micros(clock.now()) / 1000);
  const std::string text = to_string(id);
  EXPECT_EQ(text[14], '7');
  EXPECT_NE(std::string{"89ab"}.find(text[19]), std::string::npos);
}

TEST_F(Ids, IncreaseWithTheClock) {
  Uuid last = generator.next(clock.now());
  for (int i = 0; i < 10'000; ++i) {
    clock.advance(Duration{static_cast<std::int64_t>(random.below(2'000))});
    const Uuid next = generator.next(clock.now());
    ASSERT_LT(last, next);
    last = next;
  }
}

TEST_F(Ids, IncreaseWhileTheClockIsStopped) {
  Uuid last = generator.next(clock.now());
  for (int i = 0; i < 200'000; ++i) {
    const Uuid next = generator.next(clock.now());
    ASSERT_LT(last, next);
    last = next;
  }
}

TEST_F(Ids, IncreaseWhenTheClockStepsBack) {
  const Uuid before = generator.next(clock.now());
  clock.step_wall(-1h);
  const Uuid after = generator.next(clock.now());
  EXPECT_LT(before, after);
  clock.step_wall(2h);
  EXPECT_LT(after, generator.next(clock.now()));
}

TEST_F(Ids, UseTheNextMillisecondWhenOneIsExhausted) {
  const Uuid first = generator.next(clock.now());
  Uuid last = first;
  for (int i = 0; i < (1 << 26) + 10; ++i) last = generator.next(clock.now());
  EXPECT_NE(first.bytes[5], last.bytes[5]);
  EXPECT_LT(first, last);
  EXPECT_LT(last, generator.next(clock.now() + 1ms));
}

TEST_F(Ids, OfTwoGeneratorsDifferAtTheSameMoment) {
  SeededRandom other_random{2};
  IdGenerator other{other_random};
  std::set<Uuid> distinct;
  for (int i = 0; i < 1'000; ++i) {
    distinct.insert(generator.next(clock.now()));
    distinct.insert(other.next(clock.now()));
  }
  EXPECT_EQ(distinct.size(), 2'000U);
}

TEST_F(Ids, AreValidBeforeTheEpoch) { EXPECT_FALSE(generator.next(time_from_micros(-5)).is_nil()); }

TEST_F(Ids, AreDerivedDeterministicallyAndInOrder) {
  const Uuid owner = generator.next(time_from_micros(5'000));
  const TimePoint at = time_from_micros(1'700'000'000'000'000);
  const Uuid first = derived_id(at, owner, 1);
  EXPECT_EQ(first, derived_id(at, owner, 1));
  EXPECT_LT(first, derived_id(at, owner, 2));
  EXPECT_LT(derived_id(at, owner, 2), derived_id(at + std::chrono::milliseconds{1}, owner, 1));
  EXPECT_NE(first, derived_id(at, generator.next(at), 1));
  EXPECT_EQ(first.bytes[6] >> 4U, 7);
  EXPECT_EQ(first.bytes[8] >> 6U, 2);
  EXPECT_GE(first, first_id_at(at));
}

TEST_F(Ids, RoundTripThroughText) {
  for (int i = 0; i < 100; ++i) {
    const Uuid id = generator.next(clock.now());
    const std::string text = to_string(id);
    EXPECT_EQ(text.size(), 36U);
    EXPECT_EQ(parse_uuid(text), id);
  }
  EXPECT_EQ(to_string(Uuid{}), "00000000-0000-0000-0000-000000000000");
  EXPECT_EQ(parse_uuid("019B7A3C-0000-7000-8000-00000000ABCD"),
            parse_uuid("019b7a3c-0000-7000-8000-00000000abcd"));
}

TEST_F(Ids, AreRejectedUnlessTheyAreUuids) {
  for (const char* text :
       {"", "0", "019b7a3c-0000-7000-8000-00000000abc", "019b7a3c-0000-7000-8000-00000000abcde",
        "019b7a3c00000-7000-8000-00000000abcd", "019b7a3c-0000-7000-8000-00000000abcg",
        "019b7a3c_0000_7000_8000_00000000abcd", "{19b7a3c-0000-7000-8000-00000000abc}",
        "019b7a3c-0000-7000-800-000000000abcd", " 19b7a3c-0000-7000-8000-00000000abcd",
        "+19b7a3c-0000-7000-8000-00000000abcd", "0x9b7a3c-0000-7000-8000-00000000abcd"}) {
    EXPECT_EQ(parse_uuid(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_uuid(std::string(36, '\0')), std::nullopt);
  EXPECT_EQ(parse_uuid(std::string(36, '-')), std::nullopt);
}

}  // namespace
}  // namespace pawl::core
