#include "server/dispatch.hpp"

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/low_memory.hpp"
#include "server/deny.hpp"
#include "server/handlers.hpp"
#include "server/once.hpp"
#include "server/reach.hpp"
#include "server/request_target.hpp"
#include "server/waiting_call.hpp"

namespace pawl::server {

namespace {

using core::Problem;
using core::ProblemCode;

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
bool is_browser_navigation(const Incoming& incoming) {
  return incoming.method == "GET" && !incoming.target.starts_with("/v1") &&
         incoming.accept.find("text/html") != std::string::npos;
}

// If the path exists with other methods, the response lists them.
Response refusal(const Incoming& incoming, const Problem& problem) {
  const auto methods = wire::methods_of(path_of(incoming.target));
  if (problem.code == ProblemCode::not_found && methods.empty() && is_browser_navigation(incoming))
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

Dispatch::Received Dispatch::received_now(const Request& request) const {
  return {.id = request.id, .method = request.method, .route = request.route, .at = clock_.monotonic()};
}

Response Dispatch::record_response(const Received& received, Response response) {
  const core::Duration took = clock_.monotonic() - received.at;
  services_.server.metrics.count_request(received.route, response.status, took);
  const LogLevel level = response.status >= 500 ? LogLevel::error : LogLevel::debug;
  if (services_.server.log.shows(level)) {
    Log::Fields fields{{"request_id", received.id},
                       {"method", received.method},
                       {"route", std::string{received.route == nullptr ? "" : received.route->path}},
                       {"status", std::to_string(response.status)},
                       {"took", core::format_duration(took)}};
    if (!response.cause.empty()) fields.emplace_back("why", response.cause);
    services_.server.log.write(level, "request", fields);
  }
  response.headers.emplace_back("X-Request-Id", received.id);
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
  const Received received{.id = incoming.request_id,
                          .method = incoming.method,
                          .route = request ? request->route : nullptr,
                          .at = clock_.monotonic()};
  if (const core::Status name = check_name(incoming); !name)
    return decided(record_response(received, problem_response(name.problem(), received.id)));
  if (incoming.target == "*") return decided(record_response(received, methods_of_server()));
  if (!request) return decided(record_response(received, refusal(incoming, request.problem())));
  if (!request->route->role) return decided(std::move(*request));
  if (services_.server.auth.is_cached(*request)) return authorize(std::move(*request), decided);
  auto authorizing = [this, request = std::move(*request), decided = std::move(decided)]() mutable {
    authorize(std::move(request), decided);
  };
  services_.server.blocking({.kind = WorkKind::vital}, std::move(authorizing));
}

core::Status Dispatch::check_wait(const Request& request) const {
  if (clock_.monotonic() - request.waits_since <= kThreadWaitMax) return core::Done{};
  return Problem{.code = ProblemCode::unavailable,
                 .detail = fmt::format("the request waited {} for a thread and was not executed; retry later",
                                       core::format_duration(kThreadWaitMax))};
}

core::Status Dispatch::check_line(const Request& request) const {
  if (services_.server.blocking.waiting_of(request.ns) < options_.calls_waiting_max) return core::Done{};
  return Problem{
      .code = ProblemCode::resource_exhausted,
      .detail = fmt::format("limits.connections: {} calls of namespace '{}' wait for a thread already, "
                            "which is the most (half of limits.connections)",
                            options_.calls_waiting_max, request.ns)};
}

void Dispatch::authorize(Request request, const std::function<void(Admission)>& decided) {
  if (const core::Status in_time = check_wait(request); !in_time)
    return decided(
        record_response(received_now(request), unknown_caller_response(in_time.problem(), request.id)));
  const auto refusing = [&]() -> Answer {
    return [this, decided, received = received_now(request)](Response response) {
      decided(record_response(received, std::move(response)));
    };
  };
  auto allowed = services_.server.auth.allow(request);
  if (!allowed) {
    request.actor = {.request_id = request.id};
    if (allowed.problem().code == ProblemCode::unauthorized)
      return deny(services_, request, allowed.problem(), refusing());
    return refusing()(unknown_caller_response(allowed.problem(), request.id));
  }
  request.actor = std::move(allowed->actor);
  if (allowed->is_use_due) note_use(request.actor.id);
  if (allowed->refusal) return deny(services_, request, *allowed->refusal, refusing());
  if (const core::Status rate = services_.server.rates.take(request.ns, request.actor.id); !rate)
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
  services_.server.submit(std::move(note), [](const core::Result<core::Answer>&) {});
}

namespace {

// Lists, and calls that change everything that a filter matches, read many rows.
WorkKind kind_of_work(const wire::Route& route, const Handler& handler) {
  return route.method == wire::Method::get || handler.is_bulk ? WorkKind::read : WorkKind::other;
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
  Answer finish = [this, answer = std::move(answer), received = received_now(request)](Response response) {
    answer(record_response(received, std::move(response)));
  };
  finish = answer_while_valid(services_, request, std::move(finish));
  if (const core::Status query = check_query(request); !query)
    return finish(problem_response(query.problem(), request.id));
  const Handler& handler = handler_of(request.route->call);
  const bool is_short = !request.route->role || request.body.size() <= kReadHereMax;
  if (handler.runs_on == RunsOn::network && is_short)
    return is_keyed(request) ? run_once(handler, services_, running_, std::move(request), std::move(finish))
                             : handler.run(services_, std::move(request), std::move(finish));
  if (const core::Status line = check_line(request); !line)
    return finish(problem_response(line.problem(), request.id));
  request.waits_since = clock_.monotonic();
  WorkOwner owner = request.owner(kind_of_work(*request.route, handler));
  services_.server.blocking(
      std::move(owner), [this, &handler, request = std::move(request), finish = std::move(finish)]() mutable {
        run_blocking(handler, std::move(request), finish);
      });
}

// Running out of memory in a request ends only that request.
void Dispatch::run_blocking(const Handler& handler, Request request, const Answer& answer) {
  if (const core::Status in_time = check_wait(request); !in_time)
    return answer(problem_response(in_time.problem(), request.id));
  if (const core::Status reached = check_path(services_, request); !reached)
    return deny(services_, request, reached.problem(), answer);
  const std::string id = request.id;
  const auto run = [&] {
    return is_keyed(request) ? run_once(handler, services_, running_, std::move(request), answer)
                             : handler.run(services_, std::move(request), answer);
  };
  if (core::has_memory_for(run)) return;
  services_.server.metrics.count_out_of_memory();
  answer(problem_response({.code = ProblemCode::unavailable, .detail = core::kOutOfMemory}, id));
}

}  // namespace pawl::server
