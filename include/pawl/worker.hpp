#pragma once
// A worker: claims tasks and workflows of its queues and runs the handlers that it was given, side by side.
// Leases are renewed on a thread of their own; a lease that cannot be renewed in time ends here no later than
// at the store.
//
//   worker.task("email.send", [](pawl::Task& task, const Email& mail) { … });
//   worker.workflow("fulfil-order", [](pawl::Workflow& wf, const Order& order) { … });
//   worker.run();
//
// A handler takes its input by any type that nlohmann/json decodes; what it gives is encoded by the same. An
// input that does not decode fails the task with `invalid_payload` and the field's path, and is not tried
// again.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pawl/client.hpp>
#include <pawl/signature.hpp>
#include <pawl/step.hpp>
#include <pawl/task.hpp>
#include <pawl/workflow.hpp>

namespace pawl {

namespace detail {

class WorkerCore;

// JSON in, JSON out.
using TaskHandler = std::function<std::string(Task&, const std::string&)>;
using WorkflowHandler = std::function<std::string(Workflow&, const std::string&)>;

// Of a handler (Context&, const T&), (Context&), (const T&) or ().
template <typename Context, typename Call>
std::function<std::string(Context&, const std::string&)> make_named_handler(Call call) {
  using Arguments = Taken<Call>;
  constexpr bool kTakesContext = std::is_same_v<FirstTaken<Call>, Context>;
  constexpr std::size_t kInputs = std::tuple_size_v<Arguments> - (kTakesContext ? 1 : 0);
  static_assert(kInputs <= 1, "a handler takes its context, its input, or both");
  // Shared by the copies of the handler, so that it may hold what cannot be copied.
  auto shared = std::make_shared<Call>(std::move(call));
  return [shared](Context& context, [[maybe_unused]] const std::string& input) {
    return call_encoded([&] {
      if constexpr (kInputs == 0 && kTakesContext) {
        return (*shared)(context);
      } else if constexpr (kInputs == 0) {
        return (*shared)();
      } else {
        using Input = std::tuple_element_t<kTakesContext ? 1 : 0, Arguments>;
        const Input decoded = decode<Input>(input);
        if constexpr (kTakesContext) return (*shared)(context, decoded);
        if constexpr (!kTakesContext) return (*shared)(decoded);
      }
    });
  };
}

template <typename Context, typename Call>
std::function<std::string(Context&, const std::string&)> make_handler(Call call) {
  static_assert(
      NamesItsParameters<Call>,
      "pawl: a handler names the types of its parameters, which its input is decoded to: no generic "
      "lambda (auto)");
  if constexpr (NamesItsParameters<Call>) {
    return make_named_handler<Context>(std::move(call));
  } else {
    return {};
  }
}

}  // namespace detail

class Worker {
 public:
  Worker(const Client& client, WorkerOptions options = {});
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  // stops

  // Before it is started.
  template <typename Call>
  Worker& task(std::string_view type, Call call) {
    return task(type, {}, std::move(call));
  }
  template <typename Call>
  Worker& task(std::string_view type, const HandlerOptions& options, Call call) {
    add_task(type, options, detail::make_handler<Task>(std::move(call)));
    return *this;
  }
  template <typename Call>
  Worker& workflow(std::string_view name, Call call) {
    return workflow(name, {}, std::move(call));
  }
  template <typename Call>
  Worker& workflow(std::string_view name, const HandlerOptions& options, Call call) {
    add_workflow(name, options, detail::make_handler<Workflow>(std::move(call)));
    return *this;
  }

  // Until SIGTERM or SIGINT, then drains. A second signal does not wait for running handlers: their stop
  // tokens fire, and where some have not ended a second later, the worker gives its tasks back and the
  // process ends by that signal. Throws Error when the server refuses this worker for good.
  void run();

  // For a program that has its own life: returns at once; `stop` drains.
  void start();
  void stop();
  // Threads whose handlers ignore their stop tokens (WorkerOptions::stop_grace) and have not returned yet.
  [[nodiscard]] int threads_left_behind() const;

 private:
  void add_task(std::string_view type, const HandlerOptions& options, detail::TaskHandler handler);
  void add_workflow(std::string_view name, const HandlerOptions& options, detail::WorkflowHandler handler);

  std::shared_ptr<detail::WorkerCore> core_;  // shared with its threads
};

}  // namespace pawl
