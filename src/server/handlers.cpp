#include "server/handlers.hpp"

#include <array>

#include "core/base/ensure.hpp"
#include "server/admin_calls.hpp"
#include "server/definition_calls.hpp"
#include "server/queue_calls.hpp"
#include "server/record_calls.hpp"
#include "server/run_calls.hpp"
#include "server/schedule_calls.hpp"
#include "server/service_calls.hpp"
#include "server/step_calls.hpp"
#include "server/task_calls.hpp"

namespace pawl::server {

namespace {

// By wire::Call.
using Handlers = std::array<const Handler*, wire::kCallCount>;

Handlers joined() {
  Handlers handlers{};
  for (const auto rows : {service_calls(), task_calls(), queue_calls(), record_calls(), definition_calls(),
                          run_calls(), step_calls(), schedule_calls(), admin_calls()}) {
    for (const Handler& row : rows) {
      const Handler*& handler = handlers.at(static_cast<std::size_t>(row.call));
      PAWL_ENSURE(handler == nullptr, "a call has one handler");
      handler = &row;
    }
  }
  for (const Handler* handler : handlers) PAWL_ENSURE(handler != nullptr, "each call has a handler");
  return handlers;
}

}  // namespace

const Handler& handler_of(wire::Call call) {
  static const Handlers handlers = joined();
  return *handlers[static_cast<std::size_t>(call)];
}

}  // namespace pawl::server
