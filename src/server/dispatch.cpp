#include "server/dispatch.hpp"

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/low_memory.hpp"
#include "server/once.hpp"
#include "server/reach.hpp"
#include "server/waiting_call.hpp"

namespace pawl::server {

namespace {

using core::Problem;
using core::ProblemCode;
using wire::Call;

constexpr std::size_t kLargeBodyMax = 16U << 20U;
constexpr std::size_t kRequestIdMax = 128;
// A longer body is taken apart on a thread of its own: the other connections of this one would feel it.
constexpr std::size_t kReadHereMax = 256U << 10U;
// For a thread that may wait. Where the store is away each of these waits for it, and a caller is not to wait
// for one after the other.
constexpr core::Duration kThreadWaitMax = std::chrono::seconds{10};

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view query_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
}

bool is_plain(std::string_view id) {
  return !id.empty() && id.size() <= kRequestIdMax && std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c < 127 && c != '"' && c != '\\';
  });
}

// HEAD is GET without the body, which the transport leaves out.
std::optional<wire::Method> method_of(std::string_view name) {
  return wire::method_from(name == "HEAD" ? "GET" : name);
}

// Somebody who types an address into a browser gets to the dashboard; programs get the problem.
bool is_astray_browser(const Incoming& incoming) {
  return incoming.method == "GET" && !incoming.target.starts_with("/v1") &&
         incoming.accept.find("text/html") != std::string::npos;
}

// A path that exists with other methods says which.
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
  const Problem wrong_method{
      .code = ProblemCode::not_found,
      .detail = fmt::format("{} is not possible there, only {}", incoming.method, allow)};
  Response response = problem_response(wrong_method, incoming.request_id, 405);
  response.headers.emplace_back("Allow", allow);
  return response;
}

// To one whom nobody knows yet, since the store could not be asked: nor is the store known to them.
Response unknown_caller_response(const Problem& problem, const std::string& request_id) {
  const bool is_of_store = problem.code == ProblemCode::unavailable || problem.code == ProblemCode::internal;
  Response response = problem_response(is_of_store ? store_unreachable() : problem, request_id);
  response.cause = problem.detail;
  return response;
}

// A page of another site cannot call us with what the browser knows of its user.
core::Status check_origin(const Incoming& incoming) {
  if (incoming.origin.empty()) return core::Done{};
  const std::size_t scheme = incoming.origin.find("://");
  const std::string_view origin =
      scheme == std::string::npos ? std::string_view{} : std::string_view{incoming.origin}.substr(scheme + 3);
  if (origin != incoming.host) {
    return Problem{.code = ProblemCode::forbidden, .detail = "the request comes from a page of another site"};
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

bool Dispatch::is_probe(std::string_view method, std::string_view target) {
  const auto known = method_of(method);
  const auto found =
      known ? wire::match(*known, path_of(target)) : core::Result<wire::Match>{core::Problem{}};
  return found && (found->route->call == Call::healthz || found->route->call == Call::readyz);
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
      return Problem{.code = ProblemCode::not_found,
                     .detail = "there is nothing here: the namespace admin is reserved"};
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

void Dispatch::admit(Incoming incoming, std::function<void(Admission)> decided) {
  if (!is_plain(incoming.request_id)) incoming.request_id = new_request_id();
  auto request = route(incoming);
  const Asked asked{.id = incoming.request_id,
                    .method = incoming.method,
                    .route = request ? request->route : nullptr,
                    .at = clock_.monotonic()};
  if (!options_.hosts.accepts(incoming.host)) {
    const Problem misdirected{
        .code = ProblemCode::forbidden,
        .detail = fmt::format("this server does not go by the name '{}' (server.hosts lists its names)",
                              host_name(incoming.host))};
    return decided(seen_off(asked, problem_response(misdirected, asked.id, 421)));
  }
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
                 .detail = fmt::format("the store has not kept up for {}: nothing was done, try again",
                                       core::format_duration(kThreadWaitMax))};
}

core::Status Dispatch::check_line(const Request& request) const {
  if (services_.blocking.waiting_of(request.ns) < options_.calls_waiting_max) return core::Done{};
  return Problem{
      .code = ProblemCode::resource_exhausted,
      .detail = fmt::format("limits.reads_per_namespace: {} calls of namespace '{}' wait for their "
                            "turn already, which is the most",
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

// Nobody waits for it: a use that is not noted is noted by the next one.
void Dispatch::note_use(const std::string& token_id) {
  const core::NoteTokenUse use{.id = token_id};
  core::ChangeRecords note{.refs = {core::token_ref(token_id)},
                           .decide = [use](core::FoundRecords found, core::TimePoint now) {
                             return core::decide_note_token_use(use, found, now);
                           }};
  services_.submit(std::move(note), [](const core::Result<core::Answer>&) {});
}

namespace {

// What reads many rows: besides the lists, the calls that change all that a filter finds.
WorkKind kind_of_work(const wire::Route& route) {
  const bool reads = route.method == wire::Method::get || route.call == Call::retry_tasks ||
                     route.call == Call::cancel_tasks || route.call == Call::retry_runs ||
                     route.call == Call::cancel_runs || route.call == Call::sweep;
  return reads ? WorkKind::read : WorkKind::other;
}

// As with the fields of a body: what is not known is refused by its name. Probes may say what they like.
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

// Memory that runs out in a request ends that request alone.
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
