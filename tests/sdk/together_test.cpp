// Concurrent calls of many threads that are batched into one call.
#include "sdk/together.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace pawl::detail {
namespace {

using Sent = std::vector<int>;

// Doubles each number, once the test allows the send.
class Line {
 public:
  explicit Line(Together<int, int>::Bounds bounds)
      : together_(
            bounds,
            [this](int item) -> core::Result<int> {
              auto answers = send({item});
              return answers ? answers->front() : answers.problem();
            },
            [this](const Sent& items) { return send(items); }) {}

  void call(int number, std::size_t bytes = 1) {
    callers_.emplace_back([this, number, bytes] {
      const auto answer = together_.call(number, bytes);
      const std::lock_guard lock{mutex_};
      answers_.emplace_back(number, answer ? *answer : -1);
      changed_.notify_all();
    });
  }
  void let_go(int sends = 1) {
    const std::lock_guard lock{mutex_};
    allowed_ += sends;
    changed_.notify_all();
  }
  Sent await_sent(std::size_t index) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return sent_.size() > index; });
    return sent_[index];
  }
  void await_answers(std::size_t count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return answers_.size() >= count; });
    for (const auto& [number, answer] : answers_)
      EXPECT_EQ(answer, is_broken || number == refused ? -1 : 2 * number);
  }
  // Waits until `count` calls are waiting, however long their threads take to start.
  void await_waiting(std::size_t count) {
    while (together_.waiting() < count) std::this_thread::yield();
  }

  std::atomic<bool> is_broken = false;
  std::atomic<int> refused = 0;  // refuses the whole batch that contains it

 private:
  core::Result<std::vector<core::Result<int>>> send(const Sent& items) {
    std::unique_lock lock{mutex_};
    sent_.push_back(items);
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ > 0; });
    --allowed_;
    if (items.front() < 0) throw std::runtime_error{"not to be sent"};
    if (is_broken) return core::Problem{.code = core::ProblemCode::unavailable, .detail = "cut"};
    if (std::find(items.begin(), items.end(), refused) != items.end())
      return core::Problem{.code = core::ProblemCode::invalid_argument, .detail = "not this one"};
    std::vector<core::Result<int>> answers;
    for (const int item : items) answers.emplace_back(2 * item);
    return answers;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Sent> sent_;
  std::vector<std::pair<int, int>> answers_;
  int allowed_ = 0;
  Together<int, int> together_;
  std::vector<std::jthread> callers_;
};

TEST(CallsTogether, SendASingleCallImmediately) {
  Line line{{.senders = 1}};
  line.call(1);
  EXPECT_EQ(line.await_sent(0), Sent{1});
  line.let_go();
  line.await_answers(1);
}

TEST(CallsTogether, SendWaitingCallsInOneRequest) {
  Line line{{.senders = 1}};
  line.call(1);
  EXPECT_EQ(line.await_sent(0), Sent{1});
  for (int i = 2; i <= 10; ++i) {
    line.call(i);
    line.await_waiting(static_cast<std::size_t>(i) - 1);
  }
  line.let_go(2);
  EXPECT_EQ(line.await_sent(1), (Sent{2, 3, 4, 5, 6, 7, 8, 9, 10}));
  line.await_answers(10);
}

TEST(CallsTogether, RespectTheLimitsOfARequest) {
  Line line{{.senders = 1, .items = 2, .bytes = 10}};
  line.call(1);
  (void)line.await_sent(0);
  std::size_t count = 0;
  for (const std::size_t bytes : {1U, 1U, 1U, 20U, 6U, 6U}) {
    line.call(static_cast<int>(count) + 2, bytes);
    line.await_waiting(++count);
  }
  line.let_go(6);
  EXPECT_EQ(line.await_sent(1), (Sent{2, 3})) << "two at most";
  EXPECT_EQ(line.await_sent(2), (Sent{4})) << "the next is too large to go with it";
  EXPECT_EQ(line.await_sent(3), (Sent{5})) << "and goes alone";
  EXPECT_EQ(line.await_sent(4), (Sent{6}));
  EXPECT_EQ(line.await_sent(5), (Sent{7}));
  line.await_answers(7);
}

TEST(CallsTogether, AllFailWhenTheirRequestFails) {
  Line line{{.senders = 1}};
  line.is_broken = true;
  line.call(1);
  (void)line.await_sent(0);
  line.call(2);
  line.call(3);
  line.await_waiting(2);
  line.let_go(2);
  line.await_answers(3);
}

TEST(CallsTogether, AreSentOneByOneWhenTheirRequestIsRejected) {
  Line line{{.senders = 1}};
  line.refused = 3;
  line.call(1);
  (void)line.await_sent(0);
  for (int i = 2; i <= 4; ++i) {
    line.call(i);
    line.await_waiting(static_cast<std::size_t>(i) - 1);
  }
  line.let_go(5);
  EXPECT_EQ(line.await_sent(1), (Sent{2, 3, 4}));
  std::set<Sent> alone{line.await_sent(2), line.await_sent(3), line.await_sent(4)};
  EXPECT_EQ(alone, (std::set<Sent>{{2}, {3}, {4}}));
  line.await_answers(4);
}

TEST(CallsTogether, ContinueAfterAnExceptionInASend) {
  Line line{{.senders = 1}};
  line.is_broken = true;
  line.call(-1);
  line.let_go();
  line.await_answers(1);
  line.call(2);
  EXPECT_EQ(line.await_sent(1), Sent{2});
  line.let_go();
  line.await_answers(2);
}

TEST(CallsTogether, AreAllAnsweredUnderLoad) {
  Line line{{.senders = 2, .items = 7}};
  line.let_go(1'000);
  for (int i = 0; i < 200; ++i) line.call(i);
  line.await_answers(200);
}

}  // namespace
}  // namespace pawl::detail
