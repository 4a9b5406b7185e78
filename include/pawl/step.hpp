#pragma once
// The running attempt at a step. A function given to Workflow::step, spawn, map, undo or transaction may take
// a `pawl::Step&` as its first parameter:
//
//   wf.step("charge", [&](pawl::Step& step) { return bank.charge(order.total, step.operation_key()); });
//
// The object is valid while the function runs, and any thread that the function starts may use it.

#include <functional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace pawl {

namespace detail {
class StepState;
}

// One attempt at a step.
class Step {
 public:
  explicit Step(const detail::StepState& state) : state_(state) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() = default;

  // The step's name within its run: "charge", "charge#2" for its second use, "branch/charge", "map[3]".
  [[nodiscard]] const std::string& id() const;
  // `{run_id}:{step_id}`: identical forevery attempt at this step, also after a crash and after Run::retry,
  // and distinct forevery step. Pass it to outside services as their idempotency key.
  [[nodiscard]] std::string operation_key() const;
  // `{run_id}:{step_id}:{attempt}`: identifies this attempt in logs and traces.
  [[nodiscard]] std::string execution_key() const;
  [[nodiscard]] int attempt() const;  // the first is 1
  // Stop is requested at the step's timeout, when the run or the step is canceled, when the lease is lost and
  // when the worker stops.
  [[nodiscard]] std::stop_token stop_token() const;

 private:
  const detail::StepState& state_;
};

namespace detail {

// A callable whose parameter types are known without a call: a function, or an object with one operator()
// that is not a template. A generic lambda is not one.
template <typename Call>
concept NamesItsParameters =
    std::is_function_v<std::remove_pointer_t<Call>> || requires { &Call::operator(); };

// Calls a step's function, with the step if the function takes one.
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
