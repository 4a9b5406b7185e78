#pragma once
// A value that a connection's coroutine awaits and any thread may deliver. If it is delivered on the
// connection's own thread before the coroutine awaits it, it costs no turn of the event loop.

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>

#include "server/transport.hpp"

namespace pawl::server {

template <typename T>
class Pending {
 public:
  explicit Pending(Executor executor) : slot_(std::make_shared<Slot>()), executor_(std::move(executor)) {}

  // Call the returned function once. Destroying it without a call ends the waiting coroutine.
  [[nodiscard]] std::function<void(T)> giver() const {
    return [slot = slot_, executor = executor_](T value) {
      boost::asio::dispatch(executor,
                            [slot, value = std::move(value)]() mutable { slot->give(std::move(value)); });
    };
  }

  // Releases this object's slot, so that only the giver keeps the waiting coroutine alive.
  [[nodiscard]] static Awaitable<T> taken(Pending pending) {
    std::shared_ptr<Slot> slot = std::move(pending.slot_);
    if (slot->value) co_return std::move(*slot->value);
    co_return co_await boost::asio::async_initiate<const UseAwaitable, void(T)>(
        [](auto handler, std::shared_ptr<Slot> waiting) { waiting->waiter.emplace(std::move(handler)); },
        kUseAwaitable, std::move(slot));
  }

 private:
  using Handler = typename boost::asio::async_result<UseAwaitable, void(T)>::handler_type;
  static constexpr UseAwaitable kUseAwaitable{};

  // Shared by the giver and, until it waits, the receiver. Used only on the connection's thread.
  struct Slot {
    std::optional<T> value;
    std::optional<Handler> waiter;

    void give(T given) {
      if (!waiter) {
        value = std::move(given);
        return;
      }
      Handler resume = std::move(*waiter);
      waiter.reset();
      std::move(resume)(std::move(given));
    }
  };

  std::shared_ptr<Slot> slot_;
  Executor executor_;
};

}  // namespace pawl::server
