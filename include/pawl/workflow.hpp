#pragma once
// A workflow: an ordinary function whose steps each run once. What a step gave is kept; after a crash the
// function is run again, and what was done already is answered from what was kept, until the first thing that
// was not.
//
// So the function must do the same each time: what it decides by comes from its input, its steps, and now(),
// uuid() and random() here, never from clocks, chance or globals. A step's name is what it is found by; used
// again, the n-th use is a step of its own.
//
// A workflow that waits long leaves its thread: an object that is no std::exception is thrown through the
// function. Code that catches everything must let it pass (`catch (...) { …; throw; }`).
//
// What `undo` registers, here or in a branch, runs in reverse when the workflow fails, is cancelled or passes
// its deadline, at the last call that the workflow made: what it refers to must still be in scope there. In a
// spawned lambda, capture by value.
//
// Used on the thread that it was handed to; a spawned lambda is handed its own.

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

// Waits for it, in the branch that it belongs to.
[[nodiscard]] std::string await_pending(PendingState& pending);

// What `spawn` runs in this process: one step, or a branch. A generic lambda could be either.
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
// Of a signal: {"value": …}, or null where its time has passed.
template <typename T>
struct ReadSignal {
  static std::optional<T> read(const std::string& text) {
    const Json given = decode<Json>(text);
    if (given.is_null()) return std::nullopt;
    return decode<T>(given.at("value").dump());
  }
};

}  // namespace detail

// What was started and will give a T. The last copy of one that runs here waits for its end when it goes;
// where an exception takes it along, the lambda ends with the next thing that it had not done yet.
template <typename T, typename Read = detail::ReadResult<T>>
class [[nodiscard]] Pending {
 public:
  explicit Pending(detail::SharedPending state) : state_(std::move(state)) {}
  // Throws StepFailed where it failed.
  T get() const { return Read::read(detail::await_pending(*state_)); }
  // Ends it as canceled, unless it has ended: a sleep and the wait for a signal end, a task and a child are
  // asked to stop, and the stop token of a lambda fires, which then does nothing new. What has been canceled
  // throws StepFailed with the code "cancelled" in get(); a lambda that completes nevertheless gives its
  // result.
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

// Something that the outside ends: hand out the token, and whoever has it calls Client::complete_promise.
template <typename T>
class Promise {
 public:
  Promise(std::string token, Pending<T> pending) : token_(std::move(token)), pending_(std::move(pending)) {}
  [[nodiscard]] const std::string& token() const { return token_; }
  // Throws StepFailed where it was failed, or its time is over ("timeout").
  T get() const { return pending_.get(); }
  [[nodiscard]] const Pending<T>& pending() const { return pending_; }

 private:
  std::string token_;
  Pending<T> pending_;
};

template <typename T>
struct FirstOf {
  std::size_t index = 0;
  T value = {};
};
template <>
struct FirstOf<void> {
  std::size_t index = 0;
};

class Workflow {
 public:
  explicit Workflow(detail::Branch& branch) : branch_(branch) {}
  Workflow(const Workflow&) = delete;
  Workflow& operator=(const Workflow&) = delete;
  ~Workflow() = default;

  // --- steps ---

  // Runs once; its result is durable before the next line. Failed attempts are repeated as the policy says;
  // then StepFailed is thrown.
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
  // A step that is given the client's own database: what it writes there and its result are one commit, so
  // that it happens once, whatever is killed when. Needs a client that is connected to a database itself
  // (sqlite: or postgres:). Keep it short: nothing else is written to a SQLite file meanwhile.
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
  // An undo that is given the client's own database, as `transaction`: what it writes there and that it has
  // run are one commit. Throws a Failure with the code "no_database" where the client has none.
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
  // The keys of the step whose function runs on this thread (see Step). Throws a Failure with the code
  // "not_in_step" where none does: outside of all steps, the only key would be the run's, and one key for
  // many calls makes an outside service take them for one call.
  [[nodiscard]] std::string operation_key() const;
  [[nodiscard]] std::string execution_key() const;

  // --- waits; no thread is held meanwhile ---

  void sleep(std::string_view name, Duration duration);
  void sleep(Duration duration) { sleep("sleep", duration); }
  // The oldest signal of this name that was not read yet; nothing when the time is over.
  template <typename T = Json>
  std::optional<T> signal(std::string_view name, const SignalOptions& options = {}) {
    const std::optional<std::string> payload = wait_for_signal(name, options);
    if (!payload) return std::nullopt;
    return detail::decode_named<T>(*payload, "signal", name);
  }
  template <typename T = Json>
  Promise<T> promise(std::string_view name, const SignalOptions& options = {}) {
    auto [token, state] = make_promise(name, options);
    return Promise<T>{std::move(token), Pending<T>{std::move(state)}};
  }
  // The same without waiting, for `any` and `all`.
  Pending<void> start_sleep(std::string_view name, Duration duration) {
    return Pending<void>{begin_sleep(name, duration)};
  }
  template <typename T = Json>
  PendingSignal<T> start_signal(std::string_view name, const SignalOptions& options = {}) {
    return PendingSignal<T>{begin_signal(name, options)};
  }
  // A run of its own, of another workflow; its failure is StepFailed here.
  template <typename T = Json, typename Input>
  T child(std::string_view workflow, const Input& input, const ChildOptions& options = {}) {
    return spawn_child<T>(workflow, input, options).get();
  }

  // --- side by side ---

  // A task, for any worker; it begins before the next thing here that takes time. One that is refused has
  // failed, which get() says.
  template <typename T = Json, typename Input>
    requires(!detail::LocalCall<std::decay_t<Input>>)
  Pending<T> spawn(std::string_view type, const Input& input, const SpawnOptions& options = {}) {
    return Pending<T>{spawn_task(type, detail::encode(input), options)};
  }
  template <typename T = Json, typename Input>
  Pending<T> spawn_child(std::string_view workflow, const Input& input, const ChildOptions& options = {}) {
    return Pending<T>{start_child(workflow, detail::encode(input), options)};
  }
  // A lambda, on a thread of its own here: one that takes a Workflow& is a branch, whose steps are named
  // NAME/STEP; one that takes nothing or a Step& is one step.
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
  // Waits until all have ended; throws what the first of them that failed, by its place, failed with.
  template <typename T>
  auto all(const std::vector<Pending<T>>& pendings) {
    const std::vector<std::string> given = await_all(states_of(pendings));
    if constexpr (!std::is_void_v<T>) {
      std::vector<T> values;
      for (const std::string& text : given) values.push_back(detail::decode<T>(text));
      return values;
    }
  }
  // The first that has ended, by the record; which one that was is kept. The others are canceled (see
  // Pending::cancel), unless the options keep them.
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
  // Of steps, sleeps, signals, tasks and children together: the index of the first, whose get() says how it
  // ended.
  template <IsPending... Pendings>
    requires(sizeof...(Pendings) > 1)
  std::size_t any(const Pendings&... pendings) {
    return await_any({pendings.state()...}, {});
  }
  // Calls the function for each item, a few at a time: (const Item&) or (Step&, const Item&) is a step for
  // each, (Workflow&, const Item&) a branch for each. Returns the results in the order of the items.
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

  // --- what would differ from one time to the next ---

  [[nodiscard]] TimePoint now() const;  // of the store, when the last step ended
  [[nodiscard]] std::string uuid();
  [[nodiscard]] std::uint64_t random();
  // Whether this run goes the new way: true, and noted so, for a run that comes here first; false for one
  // that had come further before the code had this line.
  [[nodiscard]] bool patched(std::string_view name);

  // --- the run ---

  // Ends this run and starts another one of the same workflow in its place, with `input` and an empty
  // history: for loops without end. The next run has the same key, queue, priority, labels and parent, the
  // same time until its deadline, and the signals that were not read. What was spawned and not awaited is
  // cancelled. Throws Failure{"undo_registered"} where there is something to undo: the next run could not
  // undo it.
  template <typename T>
  [[noreturn]] void continue_as_new(const T& input) {
    continue_with(detail::encode_argument(input));
  }
  [[noreturn]] void continue_as_new() { continue_with("null"); }
  void set_status(std::string_view status);  // shown with the run
  [[nodiscard]] std::string run_id() const;
  // For long steps: the run is cancelled, the lease lost, or the worker is going.
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
