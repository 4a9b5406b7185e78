#include "runtime/command_caller.hpp"

#include <memory>
#include <utility>

#include "runtime/stored_answer.hpp"
#include "runtime/wake_flag.hpp"

namespace pawl::runtime {

using core::Answer;
using core::Result;

Result<Answer> CommandCaller::call(core::Command&& command) {
  if (!once_) return submit_and_wait(std::move(command));
  core::DoOnce keyed = *once_;
  if (!keyed.keep) keyed.keep = to_stored;
  const auto keep = keyed.keep;
  keyed.command = std::make_shared<core::AnyCommand>(core::AnyCommand{std::move(command)});
  auto answer = submit_and_wait(std::move(keyed));
  if (!answer) return answer;  // nothing was stored: the next try uses the key too
  const auto* replayed = std::get_if<core::Replayed>(&*answer);
  is_replayed_ = replayed != nullptr;
  // A refused change of a task is an answer with which the engine stores no key.
  if (is_replayed_ || keep(*answer)) once_.reset();
  return replayed == nullptr ? answer : from_stored(replayed->kept);
}

Result<Answer> CommandCaller::submit_and_wait(core::Command&& command) {
  std::optional<Result<Answer>> answer;
  WakeFlag arrived;
  submit_(std::move(command), [&answer, &arrived](Result<Answer> result) {
    answer.emplace(std::move(result));
    arrived.set();
  });
  arrived.wait();
  return std::move(*answer);
}

}  // namespace pawl::runtime
