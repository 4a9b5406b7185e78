#include "pawl/task.hpp"

#include "sdk/convert.hpp"
#include "sdk/task_state.hpp"

namespace pawl {

const std::string& Task::id() const { return state_.id(); }
const std::string& Task::type() const { return state_.claimed().task.type; }
int Task::attempt() const { return state_.claimed().task.attempt; }
std::string Task::operation_key() const { return core::operation_key(state_.claimed().task); }
const std::string& Task::execution_key() const { return state_.claimed().execution_key; }
const std::string& Task::traceparent() const { return state_.claimed().task.traceparent; }
const std::string& Task::tracestate() const { return state_.claimed().task.tracestate; }
std::stop_token Task::stop_token() const { return state_.stop_token(); }

void Task::add_checkpoint(std::string_view type, std::string snapshot) const {
  detail::Connection& connection = state_.connection();
  static_cast<void>(
      detail::value_of(connection.calls().tasks().append_checkpoint({.ns = connection.ns(),
                                                                     .owner = state_.claimed().task.id,
                                                                     .type = std::string{type},
                                                                     .snapshot = {std::move(snapshot)}})));
}

}  // namespace pawl
