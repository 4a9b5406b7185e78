#pragma once
// A workflow is an ordinary function whose steps each run once. The store keeps each step's result. After a
// crash or a long wait a worker runs the function again (a replay): calls of finished steps return the stored
// results, and the first step without a result runs.
//
// So the function must be deterministic: its decisions may depend on its input, its steps and on now(),
// uuid() and random() of this class, but never on clocks, random numbers or globals. A step is found by its
// name; the n-th use of a name is a step of its own ("name#n").
//
// A workflow that waits long releases its thread: the library throws an object that is not a std::exception
// through the function. Code that catches everything must rethrow it (`catch (...) { …; throw; }`).
//
// If the workflow fails, is canceled or passes its deadline, its undos run in reverse order, at the last call
// that the workflow made. Whatever an undo refers to must still be in scope there. In a spawned lambda,
// capture by value.
//
// Use a Workflow only on the thread that received it; a spawned branch receives its own.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pawl/json.hpp>
#include <pawl/options.hpp>
#include <pawl/signature.hpp>
#include <pawl/sql.hpp>
#include <pawl/step.hpp>

namespace pawl {

class Workflow;

namespace detail {

class Branch;
class PendingState;
using SharedPending = std::shared_ptr<PendingState>;  // shared by the copies of a Pending

// Waits for the result, in the branch that owns it.
[[nodiscard]] std::string await_pending(PendingState& pending);

// A function that `spawn` runs in this process, as one step or as a branch. A generic lambda could be either.
template <typename Call>
concept BranchCall = NamesItsParameters<Call> && std::is_invocable_v<Call&, Workflow&>;
template <typename Call>
concept LocalCall = std::is_invocable_v<Call&> || BranchCall<Call> ||
                    (NamesItsParameters<Call> && std::is_invocable_v<Call&, Step&>);

}  // namespace detail

namespace detail {

void cancel_pending(PendingState& pending);

template <typename T>
struct ReadResult {
  static T read(const std::string& text) { return decode_result<T>(text); }
};
// Decodes the result of a signal wait: {"value": …}, or null if it timed out.
template <typename T>
struct ReadSignal {
  static std::optional<T> read(const std::string& text) {
    const Json given = decode<Json>(text);
    if (given.is_null()) return std::nullopt;
    return decode<T>(given.at("value").dump());
  }
};

}  // namespace detail

// The result of work that was started and not awaited: a step, a task, a child run, a sleep or a signal wait.
//
// If the work is a lambda in this process, destroying the last copy waits until the lambda has ended. If an
// exception destroys it, the lambda ends at its next step that has no stored result.
template <typename T, typename Read = detail::ReadResult<T>>
class [[nodiscard]] Pending {
 public:
  explicit Pending(detail::SharedPending state) : state_(std::move(state)) {}
  // Waits for the result. Throws StepFailed if the work failed.
  T get() const { return Read::read(detail::await_pending(*state_)); }
  // Cancels the work unless it has ended: a sleep or a signal wait ends, a task or a child run is requested
  // to stop, and the stop token of a lambda fires and the lambda starts no further step. get() then throws
  // StepFailed with the code "cancelled"; a lambda that completes nevertheless returns its result.
  void cancel() const { detail::cancel_pending(*state_); }
  [[nodiscard]] const detail::SharedPending& state() const { return state_; }

 private:
  detail::SharedPending state_;
};

template <typename T>
using PendingSignal = Pending<std::optional<T>, detail::ReadSignal<T>>;

template <typename P>
concept IsPending = requires(const P& pending) {
  { pending.state() } -> std::convertible_to<detail::SharedPending>;
};

// A value that code outside the workflow supplies: give the token away, and its holder calls
// Client::complete_promise or Client::fail_promise. The token is a secret that cannot be guessed.
template <typename T>
class Promise {
 public:
  Promise(std::string token, Pending<T> pending) : token_(std::move(token)), pending_(std::move(pending)) {}
  [[nodiscard]] const std::string& token() const { return token_; }
  // Waits for the value. Throws StepFailed if the promise was failed, or with the code "timeout" if it timed
  // out.
  T get() const { return pending_.get(); }
  [[nodiscard]] const Pending<T>& pending() const { return pending_; }

 private:
  std::string token_;
  Pending<T> pending_;
};

// The result of Workflow::any: which one ended first, and its value.
template <typename T>
struct FirstOf {
  std::size_t index = 0;
  T value = {};
};
template <>
struct FirstOf<void> {
  std::size_t index = 0;
};

// The running workflow: its steps, waits and undos.
class Workflow {
 public:
  explicit Workflow(detail::Branch& branch) : branch_(branch) {}
  Workflow(const Workflow&) = delete;
  Workflow& operator=(const Workflow&) = delete;
  ~Workflow() = default;

  // --- steps ---

  // Runs the function as a step and returns its result. The result is durable before the next line runs.
  // Failed attempts are retried by the policy (default: 5 attempts); then it throws StepFailed. The function
  // takes nothing or a Step&.
  template <typename Call>
  auto step(std::string_view name, const StepOptions& options, Call&& call) {
    return detail::decode_result<detail::Kept<detail::StepResult<Call>>>(
        run_step(name, options,
                 [&call](Step& running) {
                   return detail::call_encoded(
                       [&]() -> decltype(auto) { return detail::call_with_step(call, running); });
                 }),
        name);
  }
  template <typename Call>
  auto step(std::string_view name, Call&& call) {
    return step(name, StepOptions{}, std::forward<Call>(call));
  }
  // A step whose function gets a Sql& on the client's own database. Its SQL writes and the step's result are
  // one commit, so they take effect exactly once despite crashes. Requires a client that is connected to a
  // database itself (sqlite: or postgres:); otherwise throws a Failure with the code "no_database".
  //
  // Keep the function short, because a SQLite file has one writer. It may run again until a transaction
  // commits, and a call of the client in it throws Error{"invalid_state"}.
  template <typename Call>
  auto transaction(std::string_view name, const StepOptions& options, Call&& call) {
    return detail::decode_result<detail::Kept<detail::StepResult<Call, Sql>>>(
        run_transaction(name, options,
                        [&call](Step& running, Sql& sql) {
                          return detail::call_encoded(
                              [&]() -> decltype(auto) { return detail::call_with_step(call, running, sql); });
                        }),
        name);
  }
  template <typename Call>
  auto transaction(std::string_view name, Call&& call) {
    return transaction(name, StepOptions{}, std::forward<Call>(call));
  }
  // Registers a function that undoes what the workflow has done so far. It runs if the workflow fails, is
  // canceled or passes its deadline. If an undo fails for good, the other undos still run, and the run
  // becomes "compensation_failed".
  template <typename Call>
  void undo(std::string_view name, const StepOptions& options, Call call) {
    add_undo(name, options, [call = std::move(call)](Step& running) mutable {
      static_cast<void>(detail::call_with_step(call, running));
    });
  }
  template <typename Call>
  void undo(std::string_view name, Call call) {
    undo(name, StepOptions{}, std::move(call));
  }
  // An undo whose function gets a Sql& on the client's own database, as in `transaction`: its SQL writes and
  // the record that it has run are one commit. Throws a Failure with the code "no_database" if the client has
  // no database.
  template <typename Call>
  void undo_transaction(std::string_view name, const StepOptions& options, Call call) {
    add_undo_transaction(name, options, [call = std::move(call)](Step& running, Sql& sql) mutable {
      static_cast<void>(detail::call_with_step(call, running, sql));
      return std::string{"null"};
    });
  }
  template <typename Call>
  void undo_transaction(std::string_view name, Call call) {
    undo_transaction(name, StepOptions{}, std::move(call));
  }
  // The keys of the step whose function runs on this thread (see Step). Outside of a step they throw a
  // Failure with the code "not_in_step": the only key there would be the run's, and an outside service would
  // take different calls with that one key for the same call.
  [[nodiscard]] std::string operation_key() const;
  [[nodiscard]] std::string execution_key() const;

  // --- waits: a long wait holds no thread ---

  // Waits for `duration`. Any length is possible; a negative one counts as 0.
  void sleep(std::string_view name, Duration duration);
  void sleep(Duration duration) { sleep("sleep", duration); }
  // Waits for a signal and returns the oldest unread one with this name; nothing after the timeout.
  template <typename T = Json>
  std::optional<T> signal(std::string_view name, const SignalOptions& options = {}) {
    const std::optional<std::string> payload = wait_for_signal(name, options);
    if (!payload) return std::nullopt;
    return detail::decode_named<T>(*payload, "signal", name);
  }
  // Creates a promise: a value that code outside the workflow supplies.
  template <typename T = Json>
  Promise<T> promise(std::string_view name, const SignalOptions& options = {}) {
    auto [token, state] = make_promise(name, options);
    return Promise<T>{std::move(token), Pending<T>{std::move(state)}};
  }
  // These begin to wait and return immediately, for `any` and `all`.
  Pending<void> start_sleep(std::string_view name, Duration duration) {
    return Pending<void>{begin_sleep(name, duration)};
  }
  template <typename T = Json>
  PendingSignal<T> start_signal(std::string_view name, const SignalOptions& options = {}) {
    return PendingSignal<T>{begin_signal(name, options)};
  }
  // Starts another workflow as a child run and waits for its output. Throws StepFailed if the child fails.
  template <typename T = Json, typename Input>
  T child(std::string_view workflow, const Input& input, const ChildOptions& options = {}) {
    return spawn_child<T>(workflow, input, options).get();
  }

  // --- concurrency ---

  // Creates a task that any worker may run. The task is stored before the workflow's next step or wait. If
  // the store rejects the task, get() throws StepFailed.
  template <typename T = Json, typename Input>
    requires(!detail::LocalCall<std::decay_t<Input>>)
  Pending<T> spawn(std::string_view type, const Input& input, const SpawnOptions& options = {}) {
    return Pending<T>{spawn_task(type, detail::encode(input), options)};
  }
  // Starts a child run without waiting for it.
  template <typename T = Json, typename Input>
  Pending<T> spawn_child(std::string_view workflow, const Input& input, const ChildOptions& options = {}) {
    return Pending<T>{start_child(workflow, detail::encode(input), options)};
  }
  // Runs a lambda on a thread of this worker. A lambda that takes a Workflow& is a branch with its own steps,
  // named NAME/STEP. A lambda that takes nothing or a Step& is one step.
  template <typename Call>
    requires detail::LocalCall<Call>
  auto spawn(std::string_view name, Call call, const StepOptions& options = {}) {
    if constexpr (!detail::BranchCall<Call>) {
      return Pending<detail::Kept<detail::StepResult<Call>>>{
          spawn_step(name, options, [call = std::move(call)](Step& running) mutable {
            return detail::call_encoded(
                [&]() -> decltype(auto) { return detail::call_with_step(call, running); });
          })};
    } else {
      return Pending<detail::Kept<std::invoke_result_t<Call&, Workflow&>>>{
          spawn_branch(name, [call = std::move(call)](Workflow& wf) mutable {
            return detail::call_encoded([&] { return call(wf); });
          })};
    }
  }
  // Waits until all have ended and returns their results. If some failed, throws the error of the first of
  // them in the vector.
  template <typename T>
  auto all(const std::vector<Pending<T>>& pendings) {
    const std::vector<std::string> given = await_all(states_of(pendings));
    if constexpr (!std::is_void_v<T>) {
      std::vector<T> values;
      for (const std::string& text : given) values.push_back(detail::decode<T>(text));
      return values;
    }
  }
  // Waits until one has ended. The choice is recorded, so a replay returns the same one. Cancels the others
  // (see Pending::cancel) unless options.keep_losers is set.
  template <typename T>
  FirstOf<T> any(const std::vector<Pending<T>>& pendings, const AnyOptions& options = {}) {
    const std::size_t index = await_any(states_of(pendings), options);
    if constexpr (std::is_void_v<T>) {
      pendings[index].get();
      return {.index = index};
    } else {
      return {.index = index, .value = pendings[index].get()};
    }
  }
  // The same for a mix of steps, sleeps, signals, tasks and children. Returns the index of the first one; its
  // get() returns the result. Always cancels the others.
  template <IsPending... Pendings>
    requires(sizeof...(Pendings) > 1)
  std::size_t any(const Pendings&... pendings) {
    return await_any({pendings.state()...}, {});
  }
  // Calls the function for each item, `options.parallel` at a time, and returns the results in the order of
  // the items. A function (const Item&) or (Step&, const Item&) is a step for each item; (Workflow&, const
  // Item&) is a branch for each item.
  template <typename Items, typename Call>
  auto map(const Items& items, Call call, const MapOptions& options = {}) {
    using Item = typename Items::value_type;
    std::vector<const Item*> list;
    for (const Item& item : items) list.push_back(&item);
    constexpr bool kIsClear = detail::NamesItsParameters<Call> || std::is_invocable_v<Call&, const Item&>;
    static_assert(kIsClear,
                  "pawl: the function of a map names its first parameter's type: const Item&, pawl::Step& or "
                  "pawl::Workflow&, not auto");
    if constexpr (!kIsClear) {
      return;
    } else if constexpr (detail::NamesItsParameters<Call> &&
                         std::is_invocable_v<Call&, Workflow&, const Item&>) {
      using Given = detail::Kept<std::invoke_result_t<Call&, Workflow&, const Item&>>;
      return decode_all<Given>(map_branches(options, list.size(), [&](Workflow& wf, std::size_t i) {
        return detail::call_encoded([&] { return call(wf, *list[i]); });
      }));
    } else {
      using Given = detail::Kept<detail::StepResult<Call, const Item>>;
      return decode_all<Given>(map_steps(options, list.size(), [&](Step& running, std::size_t i) {
        return detail::call_encoded(
            [&]() -> decltype(auto) { return detail::call_with_step(call, running, *list[i]); });
      }));
    }
  }

  // --- deterministic replacements for clocks and random numbers ---

  // Store time at the end of the last step that this code has awaited; before that, when the workflow began.
  [[nodiscard]] TimePoint now() const;
  // A version 8 UUID that is the same in each replay.
  [[nodiscard]] std::string uuid();
  // Like uuid(), but 64 random bits.
  [[nodiscard]] std::uint64_t random();
  // For changing the code of running workflows: true if this run should take the new path. A run that reaches
  // the call for the first time records true. A run that had passed this line before the call was added gets
  // false.
  [[nodiscard]] bool patched(std::string_view name);

  // --- the run ---

  // Ends this run and starts another run of the same workflow with `input` and an empty history, for endless
  // loops. The next run keeps the run key, queue, priority, labels and parent, the remaining time until the
  // deadline, and the unread signals. Work that was spawned and not awaited is canceled. Throws
  // Failure{"undo_registered"} if an undo is registered, because the next run could not run it.
  template <typename T>
  [[noreturn]] void continue_as_new(const T& input) {
    continue_with(detail::encode_argument(input));
  }
  [[noreturn]] void continue_as_new() { continue_with("null"); }
  void set_status(std::string_view status);  // shown with the run
  [[nodiscard]] std::string run_id() const;
  // Stop is requested when the run is canceled, the lease is lost or the worker stops. In a step's function
  // it is the step's stop token.
  [[nodiscard]] std::stop_token stop_token() const;

 private:
  template <typename T>
  static std::vector<detail::SharedPending> states_of(const std::vector<Pending<T>>& pendings) {
    std::vector<detail::SharedPending> states;
    for (const Pending<T>& pending : pendings) states.push_back(pending.state());
    return states;
  }
  template <typename T>
  static auto decode_all(const std::vector<std::string>& texts) {
    if constexpr (!std::is_void_v<T>) {
      std::vector<T> values;
      for (const std::string& text : texts) values.push_back(detail::decode<T>(text));
      return values;
    }
  }

  [[nodiscard]] std::string run_step(std::string_view name, const StepOptions& options,
                                     const std::function<std::string(Step&)>& call);
  [[noreturn]] void continue_with(std::string input);
  [[nodiscard]] std::string run_transaction(std::string_view name, const StepOptions& options,
                                            const std::function<std::string(Step&, Sql&)>& call);
  void add_undo_transaction(std::string_view name, const StepOptions& options,
                            std::function<std::string(Step&, Sql&)> call);
  void add_undo(std::string_view name, const StepOptions& options, std::function<void(Step&)> call);
  [[nodiscard]] std::optional<std::string> wait_for_signal(std::string_view name,
                                                           const SignalOptions& options);
  [[nodiscard]] std::pair<std::string, detail::SharedPending> make_promise(std::string_view name,
                                                                           const SignalOptions& options);
  [[nodiscard]] detail::SharedPending spawn_task(std::string_view type, std::string input,
                                                 const SpawnOptions& options);
  [[nodiscard]] detail::SharedPending start_child(std::string_view workflow, std::string input,
                                                  const ChildOptions& options);
  [[nodiscard]] detail::SharedPending spawn_step(std::string_view name, const StepOptions& options,
                                                 std::function<std::string(Step&)> call);
  [[nodiscard]] detail::SharedPending spawn_branch(std::string_view name,
                                                   std::function<std::string(Workflow&)> call);
  [[nodiscard]] std::vector<std::string> await_all(const std::vector<detail::SharedPending>& pendings);
  [[nodiscard]] std::size_t await_any(const std::vector<detail::SharedPending>& pendings,
                                      const AnyOptions& options);
  [[nodiscard]] detail::SharedPending begin_sleep(std::string_view name, Duration duration);
  [[nodiscard]] detail::SharedPending begin_signal(std::string_view name, const SignalOptions& options);
  [[nodiscard]] std::vector<std::string> map_steps(
      const MapOptions& options, std::size_t count,
      const std::function<std::string(Step&, std::size_t)>& call);
  [[nodiscard]] std::vector<std::string> map_branches(
      const MapOptions& options, std::size_t count,
      const std::function<std::string(Workflow&, std::size_t)>& call);

  detail::Branch& branch_;
};

}  // namespace pawl
