#include "runtime/wake_flag.hpp"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace pawl::runtime {
namespace {

using Reason = WakeFlag::Reason;

TEST(WakeFlag, IsNotWaitedForOnceItIsSet) {
  WakeFlag flag;
  flag.set();
  EXPECT_EQ(flag.wait(), Reason::done);
  EXPECT_EQ(flag.wait(), Reason::done) << "it stays set";
}

TEST(WakeFlag, ShowsTheWaitingThreadAllEarlierWrites) {
  for (int i = 0; i < 1'000; ++i) {
    WakeFlag flag;
    int written = 0;
    std::thread setter{[&] {
      written = i + 1;
      flag.set();
    }};
    EXPECT_EQ(flag.wait(), Reason::done);
    EXPECT_EQ(written, i + 1);
    setter.join();
  }
}

TEST(WakeFlag, MayBeDestroyedAsSoonAsItIsSet) {
  for (int i = 0; i < 1'000; ++i) {
    auto flag = std::make_unique<WakeFlag>();
    std::thread setter{[&shared = *flag] { shared.set(); }};
    flag->wait();
    flag.reset();
    setter.join();
  }
}

TEST(WakeFlag, IsResetByTheWaitingThread) {
  WakeFlag flag;
  flag.set(Reason::check);
  EXPECT_EQ(flag.wait(), Reason::check);
  EXPECT_TRUE(flag.reset(Reason::check));
  std::thread setter{[&] { flag.set(); }};
  EXPECT_EQ(flag.wait(), Reason::done);
  setter.join();
}

TEST(WakeFlag, StaysSetIfItWasSetAgainBeforeTheReset) {
  WakeFlag flag;
  flag.set(Reason::check);
  EXPECT_EQ(flag.wait(), Reason::check);
  flag.set();
  EXPECT_FALSE(flag.reset(Reason::check));
  EXPECT_EQ(flag.wait(), Reason::done);
}

}  // namespace
}  // namespace pawl::runtime
