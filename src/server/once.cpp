#include "server/once.hpp"

#include "core/json.hpp"
#include "server/secrets.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Call;

// Apart from the keys that workers begin for their own calls.
std::string key_of(const Request& request) { return "http:" + request.idempotency_key; }

std::string kept_text(const Response& response) {
  wire::Writer out;
  return out.begin_object()
      .field("status", response.status)
      .field("content_type", response.content_type)
      .field("body", response.body)
      .end_object()
      .take();
}

Response kept_response(const core::RawJson& kept) {
  wire::Mistakes mistakes;
  wire::ObjectReader in{kept.text, "", mistakes};
  Response response{.status = static_cast<int>(in.integer("status")),
                    .body = in.text("body"),
                    .content_type = in.text("content_type")};
  response.headers.emplace_back("Idempotent-Replay", "true");
  return response;
}

}  // namespace

bool is_keyed(const Request& request) {
  if (request.idempotency_key.empty() || request.ns.empty()) return false;
  const Call call = request.route->call;
  const bool is_repeatable =
      call == Call::claim_tasks || call == Call::report_tasks || call == Call::report_task;
  return request.route->method == wire::Method::post && !is_repeatable;
}

void call_once(Services& services, Request request, Answer answer,
               const std::function<void(Request, Answer)>& call) {
  const std::string whole =
      std::string{wire::name_of(request.route->method)} + " " + request.path + "\n" + request.body;
  const auto begun = services.api.begin_idempotency({.ns = request.ns,
                                                     .key = key_of(request),
                                                     .request_hash = "sha256:" + sha256_hex(whole),
                                                     .ttl = services.answers_kept});
  if (!begun) return answer(problem_response(begun.problem(), request.id));
  if (!begun->begun) return answer(kept_response(begun->key.response));
  auto keep = [&services, ns = request.ns, key = key_of(request),
               answer = std::move(answer)](Response response) {
    // The answer comes on the commit loop's thread, where nothing may wait for a commit.
    services.blocking([&services, ns, key, answer, response = std::move(response)]() mutable {
      if (response.status < 300) {
        (void)services.api.complete_idempotency({.ns = ns, .key = key, .response = {kept_text(response)}});
      } else {
        (void)services.api.fail_idempotency({.ns = ns, .key = key});
      }
      answer(std::move(response));
    });
  };
  call(std::move(request), std::move(keep));
}

}  // namespace pawl::server
