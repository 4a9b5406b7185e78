#pragma once
// The route table: one row for each call of the HTTP API. Dispatch, the client, /openapi.json and the
// reference are generated from it.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/records/token.hpp"

namespace pawl::wire {

enum class Method : std::uint8_t { get, post, put, patch, del };
[[nodiscard]] std::string_view name_of(Method method);
[[nodiscard]] std::optional<Method> method_from(std::string_view name);

enum class Call : std::uint8_t {
  healthz,
  readyz,
  metrics,
  openapi,
  home,
  dashboard_asset,
  enqueue_task,
  enqueue_tasks,
  claim_tasks,
  report_tasks,
  report_task,
  get_task,
  list_tasks,
  retry_task,
  cancel_task,
  retry_tasks,
  cancel_tasks,
  list_queues,
  put_queue,
  append_checkpoint,
  list_checkpoints,
  summarize_checkpoints,
  acquire_lock,
  renew_lock,
  release_lock,
  get_lock,
  begin_idempotency,
  complete_idempotency,
  fail_idempotency,
  get_idempotency,
  register_worker,
  heartbeat_worker,
  await_notices,
  drain_worker,
  deregister_worker,
  get_worker,
  list_workers,
  put_type,
  get_type,
  list_types,
  delete_type,
  put_definition,
  list_definitions,
  get_definition,
  get_definition_version,
  start_run,
  open_run,
  retry_runs,
  cancel_runs,
  list_runs,
  get_run,
  await_run,
  pause_run,
  resume_run,
  cancel_run,
  retry_run,
  compensate_run,
  terminate_run,
  skip_compensation,
  complete_run,
  rewind_run,
  signal_run,
  list_run_events,
  replay_run,
  graph_of_run,
  begin_step,
  complete_step,
  fail_step,
  suspend_run,
  write_steps,
  write_steps_of_many,
  list_steps,
  list_memo,
  get_step,
  create_schedule,
  list_schedules,
  get_schedule,
  update_schedule,
  delete_schedule,
  pause_schedule,
  resume_schedule,
  trigger_schedule,
  backfill_schedule,
  list_firings,
  next_times,
  create_token,
  list_tokens,
  revoke_token,
  rotate_token,
  get_namespace,
  put_namespace,
  list_audit,
  list_nodes,
  vitals,
  sweep,
  verify,
};
inline constexpr std::size_t kCallCount = static_cast<std::size_t>(Call::verify) + 1;

// A field of a request body or query.
struct Field {
  std::string_view name;
  std::string_view type;  // a type as defined in wire/shapes.hpp
  bool is_required = false;
  std::string_view about = {};
};

// Query of a list that is short enough to be returned as a whole.
inline constexpr std::array kSlice{
    Field{"limit", "integer", false, "1 to 500; default: all"},
    Field{"cursor", "string", false, "next_cursor of the page before"},
};

struct Route {
  Method method;
  std::string_view path;           // {ns} is the namespace
  std::optional<core::Role> role;  // minimum role; none: anyone may call it
  Call call;
  std::string_view summary;
  std::span<const Field> body = {};
  std::span<const Field> query = {};
  std::string_view answer = "object";
  bool is_large = false;     // accepts a batch: larger body limit
  bool is_followed = false;  // also available as a text/event-stream
};

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> parameters = {};  // from the path, in order, decoded
};
// not_found if no path matches.
[[nodiscard]] core::Result<Match> match(Method method, std::string_view path);
// The methods of this path, for the Allow header.
[[nodiscard]] std::vector<Method> methods_of(std::string_view path);

}  // namespace pawl::wire
