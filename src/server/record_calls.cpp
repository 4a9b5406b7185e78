#include "server/record_calls.hpp"

#include <array>

#include <fmt/format.h>

#include "core/base/sha256.hpp"
#include "core/json/json.hpp"
#include "server/once.hpp"
#include "server/reach.hpp"
#include "server/respond.hpp"
#include "server/slice.hpp"
#include "server/waiting_call.hpp"
#include "wire/records.hpp"

namespace pawl::server {

namespace {

using wire::Call;
using wire::ObjectReader;
using wire::Writer;

// --- locks ---

Response acquire_lock(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    core::AcquireLock lock{.ns = request.ns, .key = request.parameters.at(1), .holder = in.text("holder")};
    lock.ttl = in.optional_duration("ttl").value_or(lock.ttl);
    return lock;
  });
  if (!asked) return refuse(request, asked.problem());
  return respond(request, services.api.acquire_lock(*asked), wire::write_lock);
}

void write_own_lock(Writer& out, const core::Lock& lock) {
  wire::write_lock(out, {.acquired = !lock.holder.empty(), .lock = lock});
}

Response renew_lock(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    core::RenewLock lock{.ns = request.ns,
                         .key = request.parameters.at(1),
                         .holder = in.text("holder"),
                         .fence = in.integer("fence")};
    lock.ttl = in.optional_duration("ttl").value_or(lock.ttl);
    return lock;
  });
  if (!asked) return refuse(request, asked.problem());
  return respond(request, services.api.renew_lock(*asked), write_own_lock);
}

Response release_lock(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    return core::ReleaseLock{.ns = request.ns,
                             .key = request.parameters.at(1),
                             .holder = in.text("holder"),
                             .fence = in.integer("fence")};
  });
  if (!asked) return refuse(request, asked.problem());
  return respond(request, services.api.release_lock(*asked), write_own_lock);
}

Response get_lock(Services& services, const Request& request) {
  return respond(request, services.api.get_lock(request.ns, request.parameters.at(1)), write_own_lock);
}

// --- idempotency keys ---

Response begin_idempotency(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    core::BeginIdempotency begin{.ns = request.ns, .key = request.parameters.at(1)};
    begin.request_hash = in.optional_text("request_hash").value_or("");
    // Null is a valid request; if a hash is given, null counts as a missing field.
    const core::RawJson whole = begin.request_hash.empty() ? in.json_or_null("request") : in.json("request");
    if (whole.empty() == begin.request_hash.empty())
      in.mistake("request", "or request_hash is required, one of the two");
    if (const auto error = core::json_error(whole.empty() ? "null" : whole.text))
      in.mistake("request", *error);
    if (!whole.empty()) begin.request_hash = "sha256:" + core::sha256_hex(whole.text);
    begin.ttl = in.optional_duration("ttl").value_or(begin.ttl);
    if (const auto id = in.optional_uuid("task_id")) begin.task_id = core::TaskId{*id};
    return begin;
  });
  if (!asked) return refuse(request, asked.problem());
  asked->bound_to = request.queues;
  if (!request.queues.empty() && is_key_of_a_request(asked->key)) {
    return refuse(request, {.code = core::ProblemCode::forbidden,
                            .detail = fmt::format("idempotency key {} is kept for requests with an "
                                                  "Idempotency-Key, which are of no queue",
                                                  asked->key)});
  }
  const auto begun = services.api.begin_idempotency(*asked);
  const auto write = [](Writer& out, const core::IdempotencyBegun& one) {
    wire::write_idempotency(out, one.key);
  };
  return respond(request, begun, write, begun && begun->begun ? 201 : 200);
}

core::Result<core::EndIdempotency> read_end(const Request& request) {
  return read_body(request, [&](ObjectReader& in) {
    return core::EndIdempotency{.ns = request.ns,
                                .key = request.parameters.at(1),
                                .response = in.json("response"),
                                .bound_to = request.queues};
  });
}

Response complete_idempotency(Services& services, const Request& request) {
  const auto end = read_end(request);
  if (!end) return refuse(request, end.problem());
  return respond(request, services.api.complete_idempotency(*end), wire::write_idempotency);
}

Response fail_idempotency(Services& services, const Request& request) {
  const auto end = read_end(request);
  if (!end) return refuse(request, end.problem());
  return respond(request, services.api.fail_idempotency(*end), wire::write_idempotency);
}

Response get_idempotency(Services& services, const Request& request) {
  const auto key = services.api.get_idempotency(request.ns, request.parameters.at(1));
  if (!key) return refuse(request, key.problem());
  if (const core::Status allowed = core::check_reach(request.queues, *key); !allowed)
    return refuse(request, allowed.problem());
  return respond(request, key, wire::write_idempotency);
}

// --- workers ---

Response register_worker(Services& services, const Request& request) {
  auto asked = read_body(request, wire::read_registration);
  if (!asked) return refuse(request, asked.problem());
  asked->ns = request.ns;
  asked->by = request.actor;
  asked->bound_to = request.queues;
  for (const std::string& queue : asked->queues) {
    if (const core::Status allowed = check_queue(request, queue); !allowed)
      return refuse(request, allowed.problem());
  }
  return respond(request, services.api.register_worker(*asked), wire::write_worker, 201);
}

Response heartbeat_worker(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    return core::HeartbeatWorker{.ns = request.ns,
                                 .worker_id = request.parameters.at(1),
                                 .active_count = in.optional_integer("active_count").value_or(0),
                                 .completed_delta = in.optional_integer("completed_delta").value_or(0),
                                 .failed_delta = in.optional_integer("failed_delta").value_or(0),
                                 .renew_leases = in.optional_boolean("renew_leases").value_or(false),
                                 .by = request.actor};
  });
  if (!asked) return refuse(request, asked.problem());
  return respond(request, services.api.heartbeat_worker(*asked), wire::write_worker);
}

core::WorkerRef worker_of(const Request& request) {
  return {.ns = request.ns, .worker_id = request.parameters.at(1), .by = request.actor};
}

Response drain_worker(Services& services, const Request& request) {
  const core::WorkerRef worker = worker_of(request);
  const auto drained = services.api.drain_worker(worker);
  if (drained) services.server.engine.end_waits_of(worker.ns, worker.worker_id);
  return respond(request, drained, wire::write_worker);
}

void write_nothing(Writer& out, const core::Done& /*done*/) { out.begin_object().end_object(); }

Response deregister_worker(Services& services, const Request& request) {
  return respond(request, services.api.deregister_worker(worker_of(request)), write_nothing);
}

// A token bound to queues sees only its own workers.
bool is_shown(const Request& request, const core::Worker& worker) {
  return request.queues.empty() || worker.owner == request.actor.id;
}

Response get_worker(Services& services, const Request& request) {
  const auto worker = services.api.get_worker(request.ns, request.parameters.at(1));
  if (worker && !is_shown(request, *worker)) return refuse(request, core::not_its_worker(worker->worker_id));
  return respond(request, worker, wire::write_worker);
}

// A page for a bound token may be short or empty although its cursor continues.
Response list_workers(Services& services, const Request& request) {
  const auto list = list_of(request);
  if (!list) return refuse(request, list.problem());
  auto page = services.api.list_workers(*list);
  if (page) std::erase_if(page->items, [&](const core::Worker& one) { return !is_shown(request, one); });
  return respond_page(request, page, wire::write_worker);
}

// Holds no thread while it waits: the engine replies.
void wait_for_notices(Services& services, const Request& request, const Answer& answer) {
  const auto wait = read_query(
      request, [](ObjectReader& in) { return in.optional_duration("wait").value_or(core::Duration{0}); });
  if (!wait) return answer(refuse(request, wait.problem()));
  const core::AwaitNotices asked{.ns = request.ns, .worker_id = request.parameters.at(1), .wait = *wait};
  if (const core::Status valid = core::check(asked); !valid) return answer(refuse(request, valid.problem()));
  auto answered = with_place(services, request, *wait, answer);
  if (!answered) return answer(refuse(request, answered.problem()));
  const Request brief{.id = request.id};  // do not keep the whole request during the wait
  services.server.engine.lease_notices().wait(
      {.ns = asked.ns,
       .worker_id = asked.worker_id,
       .until = services.server.engine.clock().monotonic() + asked.wait},
      [brief, answered = std::move(*answered)](const std::vector<core::TaskId>& tasks) {
        answered(respond(brief, core::Result{tasks}, wire::write_notices));
      });
}

void await_own_notices(Services& services, const Request& request, const Answer& answer) {
  if (const core::Status allowed = services.local.admission().check_owner(worker_of(request)); !allowed)
    return answer_or_deny(services, request, refuse(request, allowed.problem()), answer);
  wait_for_notices(services, request, answer);
}

void await_notices(Services& services, Request request, Answer answer) {
  if (services.local.admission().is_cached(worker_of(request)))
    return await_own_notices(services, request, answer);
  WorkOwner owner = request.owner(WorkKind::other);
  services.server.blocking(std::move(owner),
                           [&services, request = std::move(request), answer = std::move(answer)] {
                             await_own_notices(services, request, answer);
                           });
}

// --- types ---

void write_type(Writer& out, const core::TaskType& type) { wire::write_task_type(out, type, true); }

Response put_type(Services& services, const Request& request) {
  auto type = read_body(request, wire::read_task_type);
  if (!type) return refuse(request, type.problem());
  type->name = request.parameters.at(1);
  const auto put = services.api.put_type({.ns = request.ns, .type = std::move(*type), .by = request.actor});
  return respond(request, put, write_type);
}

Response get_type(Services& services, const Request& request) {
  return respond(request, services.api.get_type(request.ns, request.parameters.at(1)), write_type);
}

Response list_types(Services& services, const Request& request) {
  const auto list = list_of(request);
  if (!list) return refuse(request, list.problem());
  return respond_page(request, services.api.list_types(*list), write_type);
}

Response delete_type(Services& services, const Request& request) {
  const auto done =
      services.api.delete_type({.ns = request.ns, .name = request.parameters.at(1), .by = request.actor});
  return respond(request, done, write_nothing);
}

// --- checkpoints ---

Response append_checkpoint(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    return core::AppendCheckpoint{.ns = request.ns,
                                  .owner = wire::read_owner(in),
                                  .type = in.text("type"),
                                  .snapshot = in.json_or_null("snapshot"),
                                  .metadata = in.json("metadata"),
                                  .sequence = in.optional_integer("sequence"),
                                  .by = request.actor};
  });
  if (!asked) return refuse(request, asked.problem());
  if (const core::Status allowed = check_owner(services, request, asked->owner); !allowed)
    return refuse(request, allowed.problem());
  const auto write = [](Writer& out, const core::CheckpointAppended& one) {
    out.begin_object().field("checkpoint_id", one.checkpoint_id).field("sequence", one.sequence).end_object();
  };
  return respond(request, services.api.append_checkpoint(std::move(*asked)), write, 201);
}

Response list_checkpoints(Services& services, const Request& request) {
  Slice slice;
  auto asked = read_query(request, [&](ObjectReader& in) {
    slice = read_slice(in);
    core::ListCheckpoints list{
        .ns = request.ns, .owner = wire::read_owner(in), .type = in.optional_text("type")};
    const std::string latest = in.optional_text("latest").value_or("false");
    if (latest != "true" && latest != "false") in.mistake("latest", "must be true or false");
    list.latest = latest == "true";
    return list;
  });
  if (!asked) return refuse(request, asked.problem());
  if (const core::Status allowed = check_owner(services, request, asked->owner); !allowed)
    return refuse(request, allowed.problem());
  return respond_page(
      request, page_of(services.api.list_checkpoints(*asked), slice),
      [&](Writer& out, const core::Checkpoint& one) { wire::write_checkpoint(out, asked->owner, one); });
}

Response summarize_checkpoints(Services& services, const Request& request) {
  const auto owner = read_query(request, wire::read_owner);
  if (!owner) return refuse(request, owner.problem());
  if (const core::Status allowed = check_owner(services, request, *owner); !allowed)
    return refuse(request, allowed.problem());
  return respond(request, services.api.summarize_checkpoints(request.ns, *owner),
                 wire::write_checkpoint_summary);
}

}  // namespace

std::span<const Handler> record_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::append_checkpoint, .run = replying<append_checkpoint>},
      Handler{.call = Call::list_checkpoints, .run = replying<list_checkpoints>},
      Handler{.call = Call::summarize_checkpoints, .run = replying<summarize_checkpoints>},
      Handler{.call = Call::acquire_lock, .run = replying<acquire_lock>},
      Handler{.call = Call::renew_lock, .run = replying<renew_lock>},
      Handler{.call = Call::release_lock, .run = replying<release_lock>},
      Handler{.call = Call::get_lock, .run = replying<get_lock>},
      Handler{.call = Call::begin_idempotency, .run = replying<begin_idempotency>},
      Handler{.call = Call::complete_idempotency, .run = replying<complete_idempotency>},
      Handler{.call = Call::fail_idempotency, .run = replying<fail_idempotency>},
      Handler{.call = Call::get_idempotency, .run = replying<get_idempotency>},
      Handler{.call = Call::register_worker, .run = replying<register_worker>},
      Handler{.call = Call::heartbeat_worker, .run = replying<heartbeat_worker>},
      Handler{.call = Call::await_notices, .run = await_notices, .runs_on = RunsOn::network, .waits = true},
      Handler{.call = Call::drain_worker, .run = replying<drain_worker>},
      Handler{.call = Call::deregister_worker, .run = replying<deregister_worker>},
      Handler{.call = Call::get_worker, .run = replying<get_worker>},
      Handler{.call = Call::list_workers, .run = replying<list_workers>},
      Handler{.call = Call::put_type, .run = replying<put_type>},
      Handler{.call = Call::get_type, .run = replying<get_type>},
      Handler{.call = Call::list_types, .run = replying<list_types>},
      Handler{.call = Call::delete_type, .run = replying<delete_type>},
  };
  return kHandlers;
}

}  // namespace pawl::server
