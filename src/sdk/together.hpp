#pragma once
// Batches calls that many threads make one by one. While some requests are on their way, further calls
// gather, and the next thread that may send sends them all. A single call is sent immediately. Thread-safe.

#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "runtime/wake_flag.hpp"

namespace pawl::detail {

template <typename Item, typename Answer>
class Together {
 public:
  // Sends at least two items. Returns one answer for each, in order, or the problem of the whole request.
  using SendMany = std::function<core::Result<std::vector<core::Result<Answer>>>(const std::vector<Item>&)>;
  using SendOne = std::function<core::Result<Answer>(const Item&)>;
  struct Bounds {
    int senders = 2;  // concurrent requests: one is sent while another waits for its answer
    std::size_t items = 500;
    std::size_t bytes = 1U << 20U;  // of one request; a larger item is sent alone
  };

  Together(Bounds bounds, SendOne send_one, SendMany send_many)
      : bounds_(bounds), send_one_(std::move(send_one)), send_many_(std::move(send_many)) {}

  [[nodiscard]] core::Result<Answer> call(Item item, std::size_t bytes) {
    Waiting own{.item = std::move(item), .bytes = bytes};
    {
      std::unique_lock lock{mutex_};
      waiting_.push_back(&own);
      send_if_free(own, lock);
    }
    // The items before it may fill a batch: then this thread sends that batch, and its own item with the next
    // one.
    while (own.news.wait() == WakeFlag::Reason::check && own.news.reset(WakeFlag::Reason::check)) {
      std::unique_lock lock{mutex_};
      send_if_free(own, lock);
    }
    // The batch was rejected, possibly because of another item.
    if (own.is_to_go_alone) return send_one_(own.item);
    return std::move(*own.answer);
  }

  // Number of calls that were not sent yet.
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock{mutex_};
    return waiting_.size();
  }

 private:
  using WakeFlag = runtime::WakeFlag;
  using Answers = core::Result<std::vector<core::Result<Answer>>>;
  struct Waiting {
    Item item;
    std::size_t bytes = 0;
    bool is_taken = false;
    bool is_to_go_alone = false;
    std::optional<core::Result<Answer>> answer = {};
    WakeFlag news = {};  // set when this call may send or has its answer
  };

  void send_if_free(const Waiting& own, std::unique_lock<std::mutex>& lock) {
    while (!own.is_taken && senders_ < bounds_.senders) send_some(lock);
  }

  void send_some(std::unique_lock<std::mutex>& lock) {
    ++senders_;
    const std::vector<Waiting*> taken = take_some();
    lock.unlock();
    auto answers = answers_to(taken);
    lock.lock();
    --senders_;
    if (!waiting_.empty()) waiting_.front()->news.set(WakeFlag::Reason::check);
    lock.unlock();  // the woken threads lock it next
    tell(taken, answers);
    lock.lock();
  }

  static void tell(const std::vector<Waiting*>& taken, Answers& answers) {
    const bool is_refused = !answers && taken.size() > 1 && !is_passing(answers.problem().code);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      taken[i]->is_to_go_alone = is_refused;
      taken[i]->answer = answer_of(answers, i);
      taken[i]->news.set();  // its owner may destroy it from here on
    }
  }

  Answers answers_to(const std::vector<Waiting*>& taken) const {
    if (taken.size() == 1)
      return heard([&]() -> Answers { return std::vector{send_one_(taken.front()->item)}; });
    std::vector<Item> items;
    Answers answers = heard([&] {
      items.reserve(taken.size());
      for (Waiting* one : taken) items.push_back(std::move(one->item));
      return send_many_(items);
    });
    for (std::size_t i = 0; !answers && i < items.size(); ++i)
      taken[i]->item = std::move(items[i]);  // may be sent alone later
    return answers;
  }

  // The other callers need an answer even if sending throws.
  template <typename Send>
  static Answers heard(const Send& send) {
    try {
      return send();
    } catch (const std::exception& error) {
      return core::Problem{.code = core::ProblemCode::internal, .detail = error.what()};
    }
  }

  std::vector<Waiting*> take_some() {
    std::vector<Waiting*> taken;
    std::size_t bytes = 0;
    while (!waiting_.empty() && taken.size() < bounds_.items) {
      Waiting* next = waiting_.front();
      if (!taken.empty() && bytes + next->bytes > bounds_.bytes) break;
      bytes += next->bytes;
      next->is_taken = true;
      taken.push_back(next);
      waiting_.pop_front();
    }
    return taken;
  }

  static core::Result<Answer> answer_of(Answers& answers, std::size_t i) {
    if (!answers) return answers.problem();
    if (i < answers->size()) return std::move((*answers)[i]);
    return core::Problem{.code = core::ProblemCode::internal, .detail = "the answer has too few results"};
  }

  const Bounds bounds_;
  const SendOne send_one_;
  const SendMany send_many_;
  std::mutex mutex_;
  std::deque<Waiting*> waiting_;
  int senders_ = 0;
};

}  // namespace pawl::detail
