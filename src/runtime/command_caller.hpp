#pragma once
// Submits a command to the commit loop and waits for its answer. With an idempotency key, the first of its
// commands that succeeds stores the key; a repeated call gets the stored answer. Thread-safe without a key;
// with a key, for one thread.

#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "core/task/command.hpp"

namespace pawl::runtime {

class CommandCaller {
 public:
  using Submit = std::function<void(core::Command&&, core::Reply&&)>;

  explicit CommandCaller(Submit submit) : submit_(std::move(submit)) {}
  // The same for one idempotent call.
  CommandCaller(const CommandCaller& whole, core::DoOnce key)
      : submit_(whole.submit_), once_(std::move(key)) {}

  // By reference: a waiting call has the command on its stack once, not once for each function.
  core::Result<core::Answer> call(core::Command&& command);
  template <typename T>
  core::Result<T> call_for(core::Command&& command) {
    auto answer = call(std::move(command));
    if (!answer) return answer.problem();
    return std::move(std::get<T>(*answer));
  }

  // Whether the last call got the stored answer.
  [[nodiscard]] bool is_replayed() const { return is_replayed_; }

 private:
  core::Result<core::Answer> submit_and_wait(core::Command&& command);

  const Submit submit_;
  std::optional<core::DoOnce> once_ = {};  // none: no key, or it is stored
  bool is_replayed_ = false;
};

}  // namespace pawl::runtime
