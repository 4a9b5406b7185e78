#pragma once
// A row of the route table: all that defines one call of the HTTP API, except its handler
// (server/handlers.hpp).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/token.hpp"
#include "wire/access.hpp"

namespace pawl::wire {

using core::Role;

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
inline constexpr std::array kPage{
    Field{"limit", "integer", false, "1 to 500; default 50"},
    Field{"cursor", "string", false, "next_cursor of the page before"},
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";

// A response other than a problem. Several entries with the same status are several media types.
struct Success {
  int status = 0;
  std::string_view type = {};  // as in shapes.hpp; empty: no body
  std::string_view media = kJson;
};

// Headers that a call reads or sends besides those of its method.
using Headers = unsigned;
inline constexpr Headers kNoHeaders = 0;
inline constexpr Headers kTraced = 1;       // reads traceparent and tracestate
inline constexpr Headers kConditional = 2;  // reads If-Match
inline constexpr Headers kTagged = 4;       // sends ETag
inline constexpr Headers kReadsYaml = 8;    // accepts application/yaml bodies

inline constexpr std::optional<Role> kAnyone = std::nullopt;

struct Route {
  Method method;
  std::string_view path;     // {ns} is the namespace
  std::optional<Role> role;  // minimum role; none: anyone may call it
  Access access = {};        // for tokens with narrower rights than a role in a namespace
  Call call;
  std::string_view id;        // usable as a method name by clients; never changes
  std::string_view tag = {};  // its group in /openapi.json; default: the noun of the path
  std::string_view summary;
  std::span<const Field> body = {};
  std::span<const Field> query = {};
  std::string_view answer = "object";     // in words, for the reference
  std::array<Success, 4> responses = {};  // entries with a status
  Headers headers = kNoHeaders;
  std::string_view event = {};  // shape of each event's data, if the call has a stream
  bool is_large = false;        // accepts a batch: larger body limit
  bool is_followed = false;     // also available as a text/event-stream
};

}  // namespace pawl::wire
