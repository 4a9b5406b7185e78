#include "server/dispatch.hpp"

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/low_memory.hpp"
#include "server/once.hpp"
#include "server/reach.hpp"
#include "server/request_target.hpp"
#include "server/waiting_call.hpp"

namespace pawl::server {

namespace {

using core::Problem;
using core::ProblemCode;
using wire::Call;

constexpr std::size_t kLargeBodyMax = 16U << 20U;
constexpr std::size_t kRequestIdMax = 128;
// Larger bodies are parsed on another thread, because they would delay the other connections of this network
// thread.
constexpr std::size_t kReadHereMax = 256U << 10U;
// Maximum wait for a thread that may block. If the store is down, each such thread waits for it; a client
// must not have to wait for several of these timeouts in sequence.
constexpr core::Duration kThreadWaitMax = std::chrono::seconds{10};

bool is_plain(std::string_view id) {
  return !id.empty() && id.size() <= kRequestIdMax && std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c < 127 && c != '"' && c != '\\';
  });
}

// HEAD is GET without the body, which the transport omits.
std::optional<wire::Method> method_of(std::string_view name) {
  return wire::method_from(name == "HEAD" ? "GET" : name);
}

// A browser navigation outside the API is redirected to the dashboard; programs receive the problem.
bool is_astray_browser(const Incoming& incoming) {
  return incoming.method == "GET" && !incoming.target.starts_with("/v1") &&
         incoming.accept.find("text/html") != std::string::npos;
}

// If the path exists with other methods, the response lists them.
Response refusal(const Incoming& incoming, const Problem& problem) {
  const auto methods = wire::methods_of(path_of(incoming.target));
  if (problem.code == ProblemCode::not_found && methods.empty() && is_astray_browser(incoming))
    return {.status = 302, .headers = {{"Location", "/"}}};
  const auto asked = method_of(incoming.method);
  const bool is_there = asked && std::find(methods.begin(), methods.end(), *asked) != methods.end();
  if (problem.code != ProblemCode::not_found || methods.empty() || is_there)
    return problem_response(problem, incoming.request_id);
  std::string allow;
  for (const wire::Method method : methods) {
    allow += (allow.empty() ? "" : ", ") + std::string{name_of(method)};
    if (method == wire::Method::get) allow += ", HEAD";
  }
  const Problem wrong_method{.code = ProblemCode::method_not_allowed,
                             .detail = fmt::format("{} has no method {}, only {}", path_of(incoming.target),
                                                   incoming.method, allow)};
  Response response = problem_response(wrong_method, incoming.request_id);
  response.headers.emplace_back("Allow", allow);
  return response;
}

// The response to OPTIONS for the whole server.
Response methods_of_server() {
  return {.content_type = "text/plain",
          .headers = {{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}}};
}

// For unauthenticated callers, hide store errors.
Response unknown_caller_response(const Problem& problem, const std::string& request_id) {
  const bool is_of_store = problem.code == ProblemCode::unavailable || problem.code == ProblemCode::internal;
  Response response = problem_response(is_of_store ? store_unreachable() : problem, request_id);
  response.cause = problem.detail;
  return response;
}

// Prevents pages of other sites from calling the API with the credentials that a browser holds.
core::Status check_origin(const Incoming& incoming) {
  if (incoming.origin.empty()) return core::Done{};
  if (!is_same_origin(incoming.origin, incoming.host)) {
    return Problem{.code = ProblemCode::forbidden,
                   .detail = "cross-origin request rejected: Origin does not match Host"};
  }
  return core::Done{};
}

bool is_of_tasks(Call call) { return call >= Call::enqueue_task && call <= Call::cancel_tasks; }
bool is_of_queues(Call call) { return call == Call::list_queues || call == Call::put_queue; }
bool is_of_records(Call call) { return call >= Call::append_checkpoint && call <= Call::delete_type; }
bool is_of_definitions(Call call) {
  return call >= Call::put_definition && call <= Call::get_definition_version;
}
bool is_of_runs(Call call) { return call >= Call::start_run && call <= Call::graph_of_run; }
bool is_of_steps(Call call) { return call >= Call::begin_step && call <= Call::get_step; }
bool is_of_schedules(Call call) { return call >= Call::create_schedule && call <= Call::next_times; }
bool is_of_admin(Call call) { return call >= Call::create_token; }

}  // namespace

std::size_t Dispatch::body_limit(std::string_view method, std::string_view target) const {
  const auto known = method_of(method);
  if (!known) return 0;
  const auto found = wire::match(*known, path_of(target));
  return found && found->route->is_large ? std::max(kLargeBodyMax, options_.body_max) : options_.body_max;
}

std::string Dispatch::new_request_id() {
  const std::lock_guard lock{random_mutex_};
  return fmt::format("{:016x}", random_.next());
}

Provenance Dispatch::provenance_of(const Incoming& incoming) const {
  if (incoming.is_forwarded) return Provenance::forwarded;
  return options_.hosts.is_unforgeable(incoming.host) ? Provenance::direct : Provenance::other_name;
}

core::Result<Request> Dispatch::route(Incoming& incoming) const {
  if (const core::Status allowed = check_origin(incoming); !allowed) return allowed.problem();
  const std::string_view path = path_of(incoming.target);
  const auto method = method_of(incoming.method);
  auto found =
      method ? wire::match(*method, path)
             : core::Result<wire::Match>{Problem{.code = ProblemCode::not_found, .detail = "no such method"}};
  if (!found) return found.problem();
  Request request{.id = incoming.request_id,
                  .route = found->route,
                  .method = incoming.method,
                  .parameters = std::move(found->parameters),
                  .path = std::string{path},
                  .query = std::string{query_of(incoming.target)},
                  .idempotency_key = std::move(incoming.idempotency_key),
                  .authorization = std::move(incoming.authorization),
                  .content_type = std::move(incoming.content_type),
                  .traceparent = std::move(incoming.traceparent),
                  .tracestate = std::move(incoming.tracestate),
                  .if_match = std::move(incoming.if_match),
                  .last_event_id = std::move(incoming.last_event_id),
                  .if_none_match = std::move(incoming.if_none_match),
                  .accepts_gzip = incoming.accept_encoding.find("gzip") != std::string::npos,
                  .wants_events = found->route->is_followed && incoming.method == "GET" &&
                                  incoming.accept.find("text/event-stream") != std::string::npos,
                  .is_local = incoming.is_local,
                  .provenance = provenance_of(incoming),
                  .network = std::move(incoming.network),
                  .waits_since = clock_.monotonic(),
                  .resume = incoming.resume};
  if (found->route->path.starts_with("/v1/{ns}/")) {
    request.ns = request.parameters.front();
    if (request.ns == "admin")
      return Problem{.code = ProblemCode::not_found, .detail = "namespace 'admin' is reserved"};
    if (const core::Status ns = core::check_namespace(request.ns); !ns) return ns.problem();
  }
  return request;
}

std::string Dispatch::http_date() {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.now());
  const std::lock_guard lock{date_mutex_};
  if (date_.empty() || now != date_of_) {
    const std::time_t seconds = now.time_since_epoch().count();
    date_ = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(seconds));
    date_of_ = now;
  }
  return date_;
}

Dispatch::Asked Dispatch::asked_now(const Request& request) const {
  return {.id = request.id, .method = request.method, .route = request.route, .at = clock_.monotonic()};
}

Response Dispatch::seen_off(const Asked& asked, Response response) {
  const core::Duration took = clock_.monotonic() - asked.at;
  services_.metrics.count_request(asked.route, response.status, took);
  const LogLevel level = response.status >= 500 ? LogLevel::error : LogLevel::debug;
  if (log_.shows(level)) {
    Log::Fields fields{{"request_id", asked.id},
                       {"method", asked.method},
                       {"route", std::string{asked.route == nullptr ? "" : asked.route->path}},
                       {"status", std::to_string(response.status)},
                       {"took", core::format_duration(took)}};
    if (!response.cause.empty()) fields.emplace_back("why", response.cause);
    log_.write(level, "request", fields);
  }
  response.headers.emplace_back("X-Request-Id", asked.id);
  return response;
}

// A request without Host is served if it is a probe, or if this server does not check names.
core::Status Dispatch::check_name(const Incoming& incoming) const {
  if (options_.hosts.accepts(incoming.host)) return core::Done{};
  if (incoming.host.empty() && is_probe(incoming.method, incoming.target)) return core::Done{};
  if (incoming.host.empty())
    return Problem{.code = ProblemCode::misdirected_request,
                   .detail = "the request has no Host, and this server has names (server.hosts lists them)"};
  return Problem{.code = ProblemCode::misdirected_request,
                 .detail = fmt::format("host '{}' is not a name of this server (add it to server.hosts)",
                                       host_name(incoming.host))};
}

void Dispatch::admit(Incoming incoming, std::function<void(Admission)> decided) {
  if (!is_plain(incoming.request_id)) incoming.request_id = new_request_id();
  auto request = route(incoming);
  const Asked asked{.id = incoming.request_id,
                    .method = incoming.method,
                    .route = request ? request->route : nullptr,
                    .at = clock_.monotonic()};
  if (const core::Status name = check_name(incoming); !name)
    return decided(seen_off(asked, problem_response(name.problem(), asked.id)));
  if (incoming.target == "*") return decided(seen_off(asked, methods_of_server()));
  if (!request) return decided(seen_off(asked, refusal(incoming, request.problem())));
  if (!request->route->role) return decided(std::move(*request));
  if (services_.auth.is_at_hand(*request)) return authorize(std::move(*request), decided);
  auto authorizing = [this, request = std::move(*request), decided = std::move(decided)]() mutable {
    authorize(std::move(request), decided);
  };
  services_.blocking({.kind = WorkKind::vital}, std::move(authorizing));
}

core::Status Dispatch::check_wait(const Request& request) const {
  if (clock_.monotonic() - request.waits_since <= kThreadWaitMax) return core::Done{};
  return Problem{.code = ProblemCode::unavailable,
                 .detail = fmt::format("the request waited {} for a thread and was not executed; retry later",
                                       core::format_duration(kThreadWaitMax))};
}

core::Status Dispatch::check_line(const Request& request) const {
  if (services_.blocking.waiting_of(request.ns) < options_.calls_waiting_max) return core::Done{};
  return Problem{
      .code = ProblemCode::resource_exhausted,
      .detail = fmt::format("limits.connections: {} calls of namespace '{}' wait for a thread already, "
                            "which is the most (half of limits.connections)",
                            options_.calls_waiting_max, request.ns)};
}

void Dispatch::authorize(Request request, const std::function<void(Admission)>& decided) {
  if (const core::Status in_time = check_wait(request); !in_time)
    return decided(seen_off(asked_now(request), unknown_caller_response(in_time.problem(), request.id)));
  const auto refusing = [&]() -> Answer {
    return [this, decided, asked = asked_now(request)](Response response) {
      decided(seen_off(asked, std::move(response)));
    };
  };
  auto allowed = services_.auth.allow(request);
  if (!allowed) {
    request.actor = {.request_id = request.id};
    if (allowed.problem().code == ProblemCode::unauthorized)
      return deny(services_, request, allowed.problem(), refusing());
    return refusing()(unknown_caller_response(allowed.problem(), request.id));
  }
  request.actor = std::move(allowed->actor);
  if (allowed->is_use_due) note_use(request.actor.id);
  if (allowed->refusal) return deny(services_, request, *allowed->refusal, refusing());
  if (const core::Status rate = services_.rates.take(request.ns, request.actor.id); !rate)
    return refusing()(problem_response(rate.problem(), request.id));
  request.namespaces = std::move(allowed->namespaces);
  request.queues = std::move(allowed->queues);
  decided(std::move(request));
}

// The request does not wait for this write: if it fails, the next use records it.
void Dispatch::note_use(const std::string& token_id) {
  const core::NoteTokenUse use{.id = token_id};
  core::ChangeRecords note{.refs = {core::token_ref(token_id)},
                           .decide = [use](core::FoundRecords found, core::TimePoint now) {
                             return core::decide_note_token_use(use, found, now);
                           }};
  services_.submit(std::move(note), [](const core::Result<core::Answer>&) {});
}

namespace {

// Calls that read many rows: lists, and calls that change everything that a filter matches.
WorkKind kind_of_work(const wire::Route& route) {
  const bool reads = route.method == wire::Method::get || route.call == Call::retry_tasks ||
                     route.call == Call::cancel_tasks || route.call == Call::retry_runs ||
                     route.call == Call::cancel_runs || route.call == Call::sweep;
  return reads ? WorkKind::read : WorkKind::other;
}

// Rejects unknown query parameters by name, like unknown body fields. Probes may have any parameters.
core::Status check_query(const Request& request) {
  if (!request.route->role) return core::Done{};
  std::string_view rest = request.query;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::string_view name = one.substr(0, one.find('='));
    const auto& known = request.route->query;
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const wire::Field& field) { return field.name == name; });
    if (!name.empty() && !is_known)
      return core::invalid_field(std::string{name}, "is not a known query parameter");
  }
  return core::Done{};
}

}  // namespace

void Dispatch::call(Request request, Answer answer) {
  Answer finish = [this, answer = std::move(answer), asked = asked_now(request)](Response response) {
    answer(seen_off(asked, std::move(response)));
  };
  finish = answer_while_valid(services_, request, std::move(finish));
  if (const core::Status query = check_query(request); !query)
    return finish(problem_response(query.problem(), request.id));
  const bool waits_for_nothing = submits_itself(request.route->call) && request.body.size() <= kReadHereMax;
  if (!request.route->role || waits_for_nothing) return call_here(std::move(request), std::move(finish));
  if (const core::Status line = check_line(request); !line)
    return finish(problem_response(line.problem(), request.id));
  request.waits_since = clock_.monotonic();
  WorkOwner owner = request.owner(kind_of_work(*request.route));
  services_.blocking(std::move(owner),
                     [this, request = std::move(request), finish = std::move(finish)]() mutable {
                       if (const core::Status in_time = check_wait(request); !in_time)
                         return finish(problem_response(in_time.problem(), request.id));
                       if (const core::Status reached = check_path(services_, request); !reached)
                         return deny(services_, request, reached.problem(), finish);
                       call_with_memory(std::move(request), finish);
                     });
}

// Running out of memory in a request ends only that request.
void Dispatch::call_with_memory(Request request, const Answer& answer) {
  const std::string id = request.id;
  if (core::has_memory_for([&] { call_here(std::move(request), answer); })) return;
  services_.metrics.count_out_of_memory();
  answer(problem_response({.code = ProblemCode::unavailable, .detail = core::kOutOfMemory}, id));
}

void Dispatch::call_here(Request request, Answer answer) {
  if (request.route->role && is_keyed(request))
    return call_once(services_, running_, std::move(request), std::move(answer), call_route);
  call_route(services_, std::move(request), std::move(answer));
}

void Dispatch::call_route(Services& services, Request request, Answer answer) {
  const Call call = request.route->call;
  if (is_of_tasks(call)) return call_task(services, std::move(request), std::move(answer));
  if (is_of_queues(call)) return call_queue(services, std::move(request), std::move(answer));
  if (is_of_records(call)) return call_record(services, std::move(request), std::move(answer));
  if (is_of_definitions(call)) return call_definition(services, std::move(request), std::move(answer));
  if (is_of_runs(call)) return call_run(services, std::move(request), std::move(answer));
  if (is_of_steps(call)) return call_step(services, std::move(request), std::move(answer));
  if (is_of_schedules(call)) return call_schedule(services, std::move(request), std::move(answer));
  if (is_of_admin(call)) return call_admin(services, std::move(request), std::move(answer));
  call_service(services, std::move(request), std::move(answer));
}

}  // namespace pawl::server
