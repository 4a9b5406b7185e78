#pragma once
// A worker claims tasks and workflows from its queues and runs their handlers on its threads.
//
//   worker.task("email.send", [](pawl::Task& task, const Email& mail) { … });
//   worker.workflow("fulfil-order", [](pawl::Workflow& wf, const Order& order) { … });
//   worker.run();
//
// nlohmann/json decodes a handler's input to the type of its parameter and encodes its result. An input that
// does not decode fails the task with the code "invalid_payload" and the path of the field, and is not
// retried.
//
// A separate thread renews the leases. A lease that cannot be renewed ends here no later than in the store,
// so the handler's stop token fires before another worker can claim the task.

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

// Take and return JSON text.
using TaskHandler = std::function<std::string(Task&, const std::string&)>;
using WorkflowHandler = std::function<std::string(Workflow&, const std::string&)>;

// Wraps a handler with the parameters (Context&, const T&), (Context&), (const T&) or ().
template <typename Context, typename Call>
std::function<std::string(Context&, const std::string&)> make_named_handler(Call call) {
  using Arguments = Taken<Call>;
  constexpr bool kTakesContext = std::is_same_v<FirstTaken<Call>, Context>;
  constexpr std::size_t kInputs = std::tuple_size_v<Arguments> - (kTakesContext ? 1 : 0);
  static_assert(kInputs <= 1, "a handler takes its context, its input, or both");
  // Shared by the copies of the wrapper, so that the handler may own values that cannot be copied.
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

// Claims and runs tasks and workflows. Add the handlers first, then call run() or start().
class Worker {
 public:
  Worker(const Client& client, WorkerOptions options = {});
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Registers the handler of a task type. Throws Error if the worker has been started ("invalid_state"), the
  // type already has a handler ("conflict") or the name is not valid ("invalid_argument").
  template <typename Call>
  Worker& task(std::string_view type, Call call) {
    return task(type, {}, std::move(call));
  }
  template <typename Call>
  Worker& task(std::string_view type, const HandlerOptions& options, Call call) {
    add_task(type, options, detail::make_handler<Task>(std::move(call)));
    return *this;
  }
  // Registers the function of a workflow, with the same errors.
  template <typename Call>
  Worker& workflow(std::string_view name, Call call) {
    return workflow(name, {}, std::move(call));
  }
  template <typename Call>
  Worker& workflow(std::string_view name, const HandlerOptions& options, Call call) {
    add_workflow(name, options, detail::make_handler<Workflow>(std::move(call)));
    return *this;
  }

  // Runs until SIGTERM or SIGINT, then drains. At a second signal the stop tokens of running handlers fire;
  // if some handlers have not ended one second later, the worker releases its tasks and the process ends by
  // that signal. Throws Error if the server rejects this worker for good, for example because of its token.
  void run();

  // Starts the worker's threads and returns, for programs with their own main loop. Throws Error if the
  // worker has no handlers or was started already ("invalid_state").
  void start();
  // Claims nothing more and waits for the running handlers, up to WorkerOptions::drain_timeout. Then their
  // stop tokens fire, and stop() waits for them to end. The destructor calls it.
  void stop();
  // Number of threads that were left behind (WorkerOptions::stop_grace) and whose handlers have not returned.
  [[nodiscard]] int threads_left_behind() const;

 private:
  void add_task(std::string_view type, const HandlerOptions& options, detail::TaskHandler handler);
  void add_workflow(std::string_view name, const HandlerOptions& options, detail::WorkflowHandler handler);

  std::shared_ptr<detail::WorkerCore> core_;  // shared with the worker's threads
};

}  // namespace pawl
