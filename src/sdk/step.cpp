#include "pawl/step.hpp"

#include "sdk/step_state.hpp"

namespace pawl {

namespace detail {

namespace {

// Thread-local, because Workflow::operation_key must find the step of its caller: a lambda that runs
// concurrently usually captures the workflow itself, not the branch that it runs on.
thread_local const StepState* step_of_thread = nullptr;

}  // namespace

const StepState* StepState::here() { return step_of_thread; }

StepHere::StepHere(const StepState& state) : outer_(std::exchange(step_of_thread, &state)) {}
StepHere::~StepHere() { step_of_thread = outer_; }

}  // namespace detail

const std::string& Step::id() const { return state_.step_id(); }
std::string Step::operation_key() const { return state_.operation_key(); }
std::string Step::execution_key() const { return state_.execution_key(); }
int Step::attempt() const { return state_.attempt(); }
std::stop_token Step::stop_token() const { return state_.stop_token(); }

}  // namespace pawl
