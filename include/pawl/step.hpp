#pragma once
// The step whose function is running. A function given to Workflow::step, spawn, map, undo or transaction may
// take a `pawl::Step&` as its first parameter:
//
//   wf.step("charge", [&](pawl::Step& step) { return bank.charge(order.total, step.operation_key()); });
//
// Valid while the function runs, and may be used from any thread that the function starts.

#include <functional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace pawl {

namespace detail {
class StepState;
}

class Step {
 public:
  explicit Step(const detail::StepState& state) : state_(state) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() = default;

  // The step's name within its run: "charge", "charge#2" for its second use, "branch/charge", "map[3]".
  [[nodiscard]] const std::string& id() const;
  // `{run_id}:{step_id}`: the same for every attempt at this step, after a crash and after Run::retry, and
  // different from every other step's. Hand it to outside services as their idempotency key.
  [[nodiscard]] std::string operation_key() const;
  // `{run_id}:{step_id}:{attempt}`: names this attempt, for logs and traces.
  [[nodiscard]] std::string execution_key() const;
  [[nodiscard]] int attempt() const;  // from 1
  // Stop is requested at the step's timeout, when the run or the step is canceled, when the lease is lost or
  // when the worker stops.
  [[nodiscard]] std::stop_token stop_token() const;

 private:
  const detail::StepState& state_;
};

namespace detail {

// A type whose parameters are known without calling it: a function, or an object with one operator() that is
// no template. A generic lambda is none.
template <typename Call>
concept NamesItsParameters =
    std::is_function_v<std::remove_pointer_t<Call>> || requires { &Call::operator(); };

// Calls a step's function with the step if it takes one.
template <typename Call, typename... Arguments>
decltype(auto) call_with_step(Call& call, Step& step, Arguments&... arguments) {
  if constexpr (std::is_invocable_v<Call&, Arguments&...>) {
    return std::invoke(call, arguments...);
  } else {
    static_assert(std::is_invocable_v<Call&, Step&, Arguments&...>,
                  "pawl: a step's function takes no other parameters than an optional pawl::Step& first");
    if constexpr (std::is_invocable_v<Call&, Step&, Arguments&...>)
      return std::invoke(call, step, arguments...);
  }
}

template <typename Call, typename... Arguments>
using StepResult =
    decltype(call_with_step(std::declval<Call&>(), std::declval<Step&>(), std::declval<Arguments&>()...));

}  // namespace detail
}  // namespace pawl
