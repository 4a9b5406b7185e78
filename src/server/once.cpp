#include "server/once.hpp"

#include <future>
#include <memory>

#include "core/base/sha256.hpp"
#include "server/reach.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

constexpr std::string_view kEtag = "ETag";

core::RawJson kept_text(const Response& response) {
  wire::Writer out;
  out.begin_object()
      .field("status", response.status)
      .field("content_type", response.content_type)
      .field("body", response.body);
  for (const auto& [name, value] : response.headers) {
    if (name == kEtag) out.field("etag", value);
  }
  return {out.end_object().take()};
}

// The hash includes what the token may see: a token with fewer permissions does not receive the stored
// response of one with more.
std::string hash_of(const Request& request) {
  std::string whole =
      std::string{wire::name_of(request.route->method)} + " " + request.path + "\n" + request.body;
  for (const std::string& queue : request.queues) whole += "\n" + queue;
  if (request.ns.empty() && !sees_namespaces(request, {"*"})) {
    for (const std::string& ns : request.namespaces) whole += "\n" + ns;
  }
  if (reads_nothing(request)) whole += "\n\n";
  return "sha256:" + core::sha256_hex(whole);
}

// A separate prefix keeps these keys apart from the keys that workers use. A key too long for its prefix is
// stored by its hash.
std::string kept_key(const std::string& key) {
  constexpr std::size_t kWholeMax = 128;
  return key.size() <= kWholeMax ? "http:" + key : "http-sha256:" + core::sha256_hex(key);
}

// Administration calls and their keys belong to no namespace.
core::DoOnce key_of(const Request& request) {
  return {.ns = request.ns,
          .key = kept_key(request.idempotency_key),
          .request_hash = request.hash,
          .ttl = request.kept_for};
}

core::Result<core::Answer> submit_and_wait(Services& services, core::Command command) {
  auto promise = std::make_shared<std::promise<core::Result<core::Answer>>>();  // shared with the reply
  auto answer = promise->get_future();
  services.server.submit(std::move(command), [promise](core::Result<core::Answer> result) {
    promise->set_value(std::move(result));
  });
  return answer.get();
}

// A command that changes nothing except, possibly, the key.
core::Command nothing_but_the_key(const Request& request, const Respond& respond) {
  const auto decide = [](core::FoundRecords, core::TimePoint) {
    return core::Result<core::RecordDecision>{core::RecordDecision{}};
  };
  return once(request, core::ChangeRecords{.decide = decide}, respond);
}

// The key is stored after the last page: until then a repeated request does the remaining work.
void run_bulk(const Handler& handler, Services& services, Request request, Answer answer) {
  const auto known = submit_and_wait(
      services, nothing_but_the_key(request, [](const core::Answer&) { return std::optional<Response>{}; }));
  if (!known) return answer(problem_response(known.problem(), request.id));
  if (const auto* replayed = std::get_if<core::Replayed>(&*known))
    return answer(kept_response(*replayed, request.id));
  auto keep = [&services, request, answer = std::move(answer)](Response response) {
    if (response.status < 300) {
      (void)submit_and_wait(services, nothing_but_the_key(request, [&](const core::Answer&) {
                              return std::optional<Response>{response};
                            }));
    }
    answer(std::move(response));
  };
  handler.run(services, std::move(request), std::move(keep));
}

// A call through the Api, whose first command stores the key.
struct KeyedCall {
  std::unique_ptr<runtime::LocalApi> api;
  Services services;

  KeyedCall(const Services& whole, const Request& request)
      : api(whole.local.once(key_of(request))), services(*api, whole.server) {}
};

void run_through_api(const Handler& handler, Services& services, Request request, Answer answer) {
  const auto keyed = std::make_shared<KeyedCall>(services, request);  // lives until the response
  auto mark = [keyed, answer = std::move(answer)](Response response) {
    if (keyed->api->is_replayed()) response.headers.emplace_back("Idempotent-Replay", "true");
    answer(std::move(response));
  };
  handler.run(keyed->services, std::move(request), std::move(mark));
}

}  // namespace

bool is_key_of_a_request(std::string_view key) {
  return key.starts_with("http:") || key.starts_with("http-sha256:");
}

bool is_keyed(const Request& request) {
  return !request.idempotency_key.empty() && request.route->method == wire::Method::post &&
         request.route->role.has_value();
}

bool RunningKeys::begin(const Key& key) {
  const std::lock_guard lock{mutex_};
  return keys_.insert(key).second;
}

void RunningKeys::end(const Key& key) {
  const std::lock_guard lock{mutex_};
  keys_.erase(key);
}

Response kept_response(const core::Replayed& replayed, const std::string& request_id) {
  wire::Mistakes mistakes;
  wire::ObjectReader in{replayed.kept.text, "", mistakes};
  if (!in.has("status"))
    return problem_response(
        {.code = core::ProblemCode::conflict,
         .detail = "the stored response for this key was written by another version of Pawl"},
        request_id);
  Response response{.status = static_cast<int>(in.integer("status")),
                    .body = in.text("body"),
                    .content_type = in.text("content_type")};
  if (auto etag = in.optional_text("etag")) response.headers.emplace_back(kEtag, std::move(*etag));
  response.headers.emplace_back("Idempotent-Replay", "true");
  return response;
}

core::Command once(const Request& request, core::Command command, const Respond& respond) {
  if (request.hash.empty()) return command;
  core::DoOnce keyed = key_of(request);
  keyed.keep = [respond](const core::Answer& answer) -> std::optional<core::RawJson> {
    const auto response = respond(answer);
    if (!response || response->status >= 300) return std::nullopt;
    return kept_text(*response);
  };
  keyed.command = std::make_shared<core::AnyCommand>(core::AnyCommand{std::move(command)});
  return keyed;
}

void run_once(const Handler& handler, Services& services, RunningKeys& running, Request request,
              Answer answer) {
  if (const core::Status key = core::check_key("Idempotency-Key", request.idempotency_key); !key)
    return answer(problem_response(key.problem(), request.id));
  const RunningKeys::Key key_here{request.ns, request.idempotency_key};
  if (!running.begin(key_here)) {
    return answer(problem_response({.code = core::ProblemCode::conflict,
                                    .detail = "the first request with this Idempotency-Key is still running"},
                                   request.id));
  }
  request.hash = hash_of(request);
  request.kept_for = services.server.settings.answers_kept;
  auto finish = [&running, key_here, answer = std::move(answer)](Response response) {
    running.end(key_here);
    answer(std::move(response));
  };
  // A handler on the network thread submits one command, which stores the key too.
  if (handler.runs_on == RunsOn::network) return handler.run(services, std::move(request), std::move(finish));
  if (handler.is_bulk) return run_bulk(handler, services, std::move(request), std::move(finish));
  run_through_api(handler, services, std::move(request), std::move(finish));
}

}  // namespace pawl::server
