#include "wire/routes.hpp"

#include <algorithm>
#include <array>

#include "core/json.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kSpec{
    Field{"type", "string", true, "what kind of work it is"},
    Field{"payload", "json", false, "any JSON, given to the handler byte for byte"},
    Field{"queue", "string", false, "default: default"},
    Field{"priority", "integer", false, "higher first; default 0"},
    Field{"key", "string", false, "tasks of one key run one at a time, in order"},
    Field{"idempotency_key", "string", false, "the same key of the same type gives the first task again"},
    Field{"delay", "duration", false, "claimable after this"},
    Field{"run_at", "time", false, "claimable from then on"},
    Field{"retry", "retry", false, "how often and when a failed attempt is tried again"},
    Field{"max_retries", "integer", false, "attempts after the first; -1 for ever"},
    Field{"timeout", "duration", false, "of one attempt"},
    Field{"labels", "labels", false, "to find it by"},
};
constexpr std::array kSpecs{Field{"tasks", "tasks", true, "up to 10,000, all or nothing"}};
constexpr std::array kClaim{
    Field{"worker_id", "string", true, "who claims"},
    Field{"queues", "strings", false, "default: [\"default\"]"},
    Field{"types", "strings", false, "default: all"},
    Field{"max", "integer", false, "how many at most; default 10"},
    Field{"lease", "duration", false, "how long they are held without a heartbeat; default 30s"},
    Field{"wait", "duration", false, "how long to wait for the first one; default 0s"},
};
constexpr std::array kReports{
    Field{"worker_id", "string", true, "who holds the leases"},
    Field{"reports", "reports", true, "task_id, fence, action, and what the action takes"},
};
constexpr std::array kReport{
    Field{"worker_id", "string", true, "who holds the lease"},
    Field{"fence", "integer", true, "of the claim"},
    Field{"lease", "duration", false, "heartbeat: how long from now"},
    Field{"output", "json", false, "complete"},
    Field{"error", "error", false, "fail"},
    Field{"retry_after", "duration", false, "fail: instead of the policy's wait"},
};
constexpr std::array kTaskFilter{
    Field{"status", "string", false, "one or several, separated by commas"},
    Field{"queue", "string"},
    Field{"type", "string"},
    Field{"key", "string"},
    Field{"worker_id", "string", false, "of the present lease"},
    Field{"label", "string", false, "name:value"},
    Field{"created_after", "time"},
    Field{"created_before", "time"},
    Field{"order", "string", false, "asc or desc (default), by creation"},
    Field{"limit", "integer", false, "1 to 500; default 50"},
    Field{"cursor", "string", false, "next_cursor of the page before"},
};
constexpr std::array kBulk{
    Field{"filter", "filter", false, "as in the list of tasks"},
    Field{"limit", "integer", false, "how many at most; default 1000"},
};
constexpr std::array kQueue{
    Field{"paused", "boolean"},
    Field{"max_concurrency", "integer", false, "null clears"},
    Field{"type_concurrency", "limits", false, "type to number; null clears"},
    Field{"rate", "rate", false, "limit and per; null clears"},
};

constexpr std::array kCheckpoints{Field{"task_id", "string", true, "whose"}};

constexpr std::array kRoutes{
    Route{Method::get, "/healthz", Role::anyone, Call::healthz, "Whether the process is up"},
    Route{Method::get, "/readyz", Role::anyone, Call::readyz, "Whether it can serve: the store answers, work goes on"},
    Route{Method::get, "/metrics", Role::viewer, Call::metrics, "Prometheus metrics", {}, {}, "text"},
    Route{Method::get, "/openapi.json", Role::viewer, Call::openapi, "This description"},
    Route{Method::get, "/", Role::anyone, Call::home, "Where to look", {}, {}, "text"},
    Route{Method::post, "/v1/{ns}/tasks", Role::worker, Call::enqueue_task, "Enqueue a task", kSpec, {}, "created task"},
    Route{Method::post, "/v1/{ns}/tasks/batch", Role::worker, Call::enqueue_tasks, "Enqueue many tasks, all or nothing",
          kSpecs, {}, "results", true},
    Route{Method::post, "/v1/{ns}/tasks/claim", Role::worker, Call::claim_tasks, "Claim tasks, waiting for the first one",
          kClaim, {}, "claimed tasks"},
    Route{Method::post, "/v1/{ns}/tasks/report", Role::worker, Call::report_tasks, "Report on many tasks, one result each",
          kReports, {}, "results", true},
    Route{Method::post, "/v1/{ns}/tasks/retry", Role::operator_, Call::retry_tasks, "Retry all that a filter finds", kBulk,
          {}, "matched and changed"},
    Route{Method::post, "/v1/{ns}/tasks/cancel", Role::operator_, Call::cancel_tasks, "Cancel all that a filter finds",
          kBulk, {}, "matched and changed"},
    Route{Method::post, "/v1/{ns}/tasks/{id}/retry", Role::operator_, Call::retry_task,
          "Put a failed or dead task back, with a fresh budget", {}, {}, "task"},
    Route{Method::post, "/v1/{ns}/tasks/{id}/cancel", Role::operator_, Call::cancel_task,
          "Cancel a task; a leased one is asked to stop", {}, {}, "task"},
    Route{Method::post, "/v1/{ns}/tasks/{id}/{action}", Role::worker, Call::report_task,
          "One report: heartbeat, start, complete, fail or release", kReport, {}, "result", true},
    Route{Method::get, "/v1/{ns}/tasks/{id}", Role::viewer, Call::get_task, "A task with its attempts", {}, {}, "task"},
    Route{Method::get, "/v1/{ns}/tasks", Role::viewer, Call::list_tasks, "Tasks, by filter", {}, kTaskFilter, "page"},
    Route{Method::get, "/v1/{ns}/queues", Role::viewer, Call::list_queues, "Queues with their counts and limits", {}, {},
          "page"},
    Route{Method::put, "/v1/{ns}/queues/{name}", Role::operator_, Call::put_queue, "Pause a queue, set its limits", kQueue,
          {}, "queue"},
    Route{Method::get, "/v1/{ns}/checkpoints", Role::viewer, Call::list_checkpoints, "Evidence of a task, oldest first", {},
          kCheckpoints, "page"},
};

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  if (path.empty() || path.front() != '/') return segments;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    segments.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return segments;
}

bool is_parameter(std::string_view segment) { return segment.size() > 2 && segment.front() == '{'; }

// A literal segment of the table compares with the bytes that were sent: "%2e" is no way around it.
bool fits(const Route& route, const std::vector<std::string_view>& segments) {
  const auto wanted = segments_of(route.path);
  if (wanted.size() != segments.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_parameter(wanted[i]) ? segments[i].empty() : wanted[i] != segments[i]) return false;
  }
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

core::Problem no_such_path(std::string_view path) {
  return {.code = core::ProblemCode::not_found, .detail = "there is nothing at " + std::string{path}};
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::del: return "DELETE";
  }
  return "";
}

std::optional<Method> method_from(std::string_view name) {
  for (const Method method : {Method::get, Method::post, Method::put, Method::patch, Method::del}) {
    if (name_of(method) == name) return method;
  }
  return std::nullopt;
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::anyone: return "anyone";
    case Role::viewer: return "viewer";
    case Role::worker: return "worker";
    case Role::operator_: return "operator";
    case Role::admin: return "admin";
  }
  return "";
}

std::optional<Role> role_from(std::string_view name) {
  for (const Role role : {Role::viewer, Role::worker, Role::operator_, Role::admin}) {
    if (name_of(role) == name) return role;
  }
  return std::nullopt;
}

std::span<const Route> routes() { return kRoutes; }

core::Result<Match> match(Method method, std::string_view path) {
  const auto segments = segments_of(path);
  for (const Route& route : kRoutes) {
    if (route.method != method || !fits(route, segments)) continue;
    Match found{.route = &route};
    const auto wanted = segments_of(route.path);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!is_parameter(wanted[i])) continue;
      auto value = percent_decoded(segments[i]);
      if (!value) return no_such_path(path);
      found.parameters.push_back(std::move(*value));
    }
    return found;
  }
  return no_such_path(path);
}

std::vector<Method> methods_of(std::string_view path) {
  std::vector<Method> methods;
  const auto segments = segments_of(path);
  for (const Route& route : kRoutes) {
    const bool is_new = std::find(methods.begin(), methods.end(), route.method) == methods.end();
    if (is_new && fits(route, segments)) methods.push_back(route.method);
  }
  return methods;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!core::utf8_length(out)) return std::nullopt;
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

core::Result<std::string> query_object(std::string_view query) {
  std::string object = "{";
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view pair = query.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::string raw{pair.substr(std::min(equals + 1, pair.size()))};
    std::replace(raw.begin(), raw.end(), '+', ' ');
    const auto name = percent_decoded(pair.substr(0, equals));
    const auto value = percent_decoded(raw);
    if (!name || !value) return core::invalid_field(std::string{pair.substr(0, equals)}, "is not percent-encoded UTF-8");
    if (object.size() > 1) object += ",";
    object += core::json_quote(*name) + ":" + core::json_quote(*value);
  }
  return object + "}";
}

}  // namespace pawl::wire
