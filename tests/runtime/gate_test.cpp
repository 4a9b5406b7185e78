#include "runtime/gate.hpp"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace pawl::runtime {
namespace {

using Reason = Gate::Reason;

TEST(Gate, IsPassedWithoutWaitingWhenOpen) {
  Gate gate;
  gate.open();
  EXPECT_EQ(gate.wait(), Reason::end);
  EXPECT_EQ(gate.wait(), Reason::end) << "it stays open";
}

TEST(Gate, PublishesEarlierWritesToTheWaiter) {
  for (int i = 0; i < 1'000; ++i) {
    Gate gate;
    int written = 0;
    std::thread opener{[&] {
      written = i + 1;
      gate.open();
    }};
    EXPECT_EQ(gate.wait(), Reason::end);
    EXPECT_EQ(written, i + 1);
    opener.join();
  }
}

TEST(Gate, MayBeDestroyedAsSoonAsItIsOpen) {
  for (int i = 0; i < 1'000; ++i) {
    auto gate = std::make_unique<Gate>();
    std::thread opener{[&opened = *gate] { opened.open(); }};
    gate->wait();
    gate.reset();
    opener.join();
  }
}

TEST(Gate, CanBeClosedAgainAfterAPoll) {
  Gate gate;
  gate.open(Reason::look);
  EXPECT_EQ(gate.wait(), Reason::look);
  EXPECT_TRUE(gate.close(Reason::look));
  std::thread opener{[&] { gate.open(); }};
  EXPECT_EQ(gate.wait(), Reason::end);
  opener.join();
}

TEST(Gate, StaysOpenAfterAConcurrentOpen) {
  Gate gate;
  gate.open(Reason::look);
  EXPECT_EQ(gate.wait(), Reason::look);
  gate.open();
  EXPECT_FALSE(gate.close(Reason::look));
  EXPECT_EQ(gate.wait(), Reason::end);
}

}  // namespace
}  // namespace pawl::runtime
