// Administration over HTTP: tokens, namespaces, the audit, nodes, and what can be done to the store as a
// whole.

#include "core/sha256.hpp"
#include "server/body.hpp"
#include "server/calls.hpp"
#include "server/respond.hpp"
#include "server/secrets.hpp"
#include "server/slice.hpp"
#include "wire/maintenance.hpp"
#include "wire/records.hpp"

namespace pawl::server {

namespace {

using wire::Call;
using wire::ObjectReader;
using wire::Writer;

void write_token(Writer& out, const core::Token& token) {
  out.begin_object();
  wire::write_token_fields(out, token);
  out.end_object();
}

// The secret is drawn here and shown once; what is stored is its hash.
Response create_token(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    core::CreateToken create{.by = request.actor};
    const std::string role = in.text("role");
    const auto known = core::role_from(role);
    if (!known && !role.empty()) in.mistake("role", "must be viewer, worker, operator or admin");
    create.role = known.value_or(core::Role::viewer);
    if (!in.has("namespaces")) in.mistake("namespaces", "is required");
    create.namespaces = in.optional_texts("namespaces").value_or(std::vector<std::string>{});
    create.queues = in.optional_texts("queues").value_or(std::vector<std::string>{});
    create.name = in.optional_text("name").value_or("");
    create.expires_at = in.optional_time("expires_at");
    return create;
  });
  if (!asked) return problem_response(asked.problem(), request.id);
  const core::TokenText text{
      .role = asked->role,
      .id = core::base62(random_bytes(2 * core::kTokenIdLength), core::kTokenIdLength),
      .secret = core::base62(random_bytes(2 * core::kTokenSecretLengthMin), core::kTokenSecretLengthMin)};
  asked->id = text.id;
  asked->secret_hash = core::sha256_hex(text.secret);
  const auto token = services.api.create_token(*asked);
  if (!token) return problem_response(token.problem(), request.id);
  services.auth.forget();
  // A repeated request is shown the token that the first one made, whose secret nobody has any more.
  const bool is_ours = token->secret_hash == asked->secret_hash;
  Writer out;
  out.begin_object();
  wire::write_token_fields(out, *token);
  out.field("token", is_ours ? std::optional{core::format_token(text)} : std::nullopt);
  return json_response(201, out.end_object().take());
}

Response list_named(Services& services, const Request& request) {
  auto asked = read_query(request, [](ObjectReader& in) {
    core::ListRecords page;
    page.limit = read_number(in, "limit").value_or(page.limit);
    page.cursor = in.optional_text("cursor").value_or("");
    return page;
  });
  if (!asked) return problem_response(asked.problem(), request.id);
  Writer out;
  out.begin_object().key("items").begin_array();
  std::optional<std::string> next;
  if (request.route->call == Call::list_tokens) {
    const auto page = services.api.list_tokens(*asked);
    if (!page) return problem_response(page.problem(), request.id);
    for (const core::Token& token : page->items) write_token(out, token);
    next = page->next_cursor;
  } else {
    const auto page = services.api.list_audit({.limit = asked->limit, .cursor = asked->cursor});
    if (!page) return problem_response(page.problem(), request.id);
    for (const core::AuditEntry& entry : page->items) wire::write_audit(out, entry);
    next = page->next_cursor;
  }
  return json_response(200, out.end_array().field("next_cursor", next).end_object().take());
}

Response revoke_token(Services& services, const Request& request) {
  const auto token = services.api.revoke_token({.id = request.parameters.at(0), .by = request.actor});
  if (!token) return problem_response(token.problem(), request.id);
  services.auth.forget();
  Writer out;
  write_token(out, *token);
  return json_response(200, out.take());
}

Response settings(Services& services, const Request& request) {
  const std::string& ns = request.parameters.at(0);
  auto found = services.api.get_namespace(ns);
  if (request.route->call == Call::put_namespace) {
    auto patch = read_body(request, wire::read_namespace_patch);
    if (!patch) return problem_response(patch.problem(), request.id);
    found = services.api.put_namespace({.ns = ns, .patch = *patch, .by = request.actor});
  }
  if (!found) return problem_response(found.problem(), request.id);
  Writer out;
  wire::write_namespace(out, *found);
  return json_response(200, out.take());
}

Response nodes(Services& services, const Request& request) {
  const auto slice = read_query(request, read_slice);
  if (!slice) return problem_response(slice.problem(), request.id);
  return respond_page(request, page_of(services.api.list_nodes(), *slice), wire::write_node);
}

Response vitals(Services& services, const Request& request) {
  const auto nothing = read_query(request, [](ObjectReader&) { return 0; });
  if (!nothing) return problem_response(nothing.problem(), request.id);
  const auto found = services.api.vitals();
  if (!found) return problem_response(found.problem(), request.id);
  Writer out;
  wire::write_vitals(out, *found);
  return json_response(200, out.take());
}

Response sweep(Services& services, const Request& request) {
  auto asked = read_body(request, wire::read_sweep_request);
  if (!asked) return problem_response(asked.problem(), request.id);
  asked->by = request.actor;
  const auto swept = services.api.sweep(*asked);
  if (!swept) return problem_response(swept.problem(), request.id);
  Writer out;
  wire::write_sweep(out, *swept);
  return json_response(200, out.take());
}

Response verify(Services& services, const Request& request) {
  const auto nothing = read_query(request, [](ObjectReader&) { return 0; });
  if (!nothing) return problem_response(nothing.problem(), request.id);
  const auto verified = services.api.verify();
  if (!verified) return problem_response(verified.problem(), request.id);
  Writer out;
  wire::write_verification(out, *verified);
  return json_response(200, out.take());
}

}  // namespace

void call_admin(Services& services, Request request, Answer answer) {
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    switch (request.route->call) {
      case Call::create_token: return answer(create_token(services, request));
      case Call::revoke_token: return answer(revoke_token(services, request));
      case Call::get_namespace:
      case Call::put_namespace: return answer(settings(services, request));
      case Call::list_nodes: return answer(nodes(services, request));
      case Call::vitals: return answer(vitals(services, request));
      case Call::sweep: return answer(sweep(services, request));
      case Call::verify: return answer(verify(services, request));
      default: return answer(list_named(services, request));
    }
  });
}

}  // namespace pawl::server
