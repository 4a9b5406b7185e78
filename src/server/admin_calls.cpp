#include "server/admin_calls.hpp"

#include <array>

#include <fmt/format.h>

#include "core/base/sha256.hpp"
#include "server/body.hpp"
#include "server/reach.hpp"
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

std::string new_secret() {
  return core::base62(random_bytes(2 * core::kTokenSecretLengthMin), core::kTokenSecretLengthMin);
}

core::Problem not_for(const std::vector<std::string>& namespaces) {
  return {.code = core::ProblemCode::forbidden,
          .detail = fmt::format("the token is not for the namespaces {}", fmt::join(namespaces, ", "))};
}

// A repeated request receives the token that the first one created, without its secret, which is not stored.
Response secret_response(int status, const core::Token& token, const core::TokenText& text) {
  const bool is_ours = token.secret_hash == core::sha256_hex(text.secret);
  Writer out;
  out.begin_object();
  wire::write_token_fields(out, token);
  out.field("token", is_ours ? std::optional{core::format_token(text)} : std::nullopt);
  return json_response(status, out.end_object().take());
}

// The secret is generated here and shown once; the store keeps only its hash.
Response create_token(Services& services, const Request& request) {
  auto asked = read_body(request, [&](ObjectReader& in) {
    core::CreateToken create{.by = request.actor};
    const std::string role = in.text("role");
    const auto known = core::role_from(role);
    if (!known && !role.empty())
      in.mistake(
          "role",
          fmt::format("unknown role '{}' (expected enqueuer, claimer, viewer, worker, operator or admin)",
                      role));
    create.role = known.value_or(core::Role::viewer);
    if (!in.has("namespaces")) in.mistake("namespaces", "is required");
    create.namespaces = in.optional_texts("namespaces").value_or(std::vector<std::string>{});
    create.queues = in.optional_texts("queues").value_or(std::vector<std::string>{});
    create.name = in.optional_text("name").value_or("");
    create.expires_at = in.optional_time("expires_at");
    return create;
  });
  if (!asked) return problem_response(asked.problem(), request.id);
  if (!asked->namespaces.empty() && !sees_namespaces(request, asked->namespaces))
    return problem_response(not_for(asked->namespaces), request.id);
  const core::TokenText text{.role = asked->role,
                             .id = core::base62(random_bytes(2 * core::kTokenIdLength), core::kTokenIdLength),
                             .secret = new_secret()};
  asked->id = text.id;
  asked->secret_hash = core::sha256_hex(text.secret);
  const auto token = services.api.create_token(*asked);
  if (!token) return problem_response(token.problem(), request.id);
  services.server.auth.forget();
  return secret_response(201, *token, text);
}

// A token outside the caller's namespaces is reported like a missing one.
core::Result<core::Token> managed_token(Services& services, const Request& request) {
  const std::string& id = request.parameters.at(0);
  const auto found = services.api.find_token(id);
  if (!found) return found.problem();
  if (sees_namespaces(request, found->token.namespaces)) return found->token;
  return core::Problem{.code = core::ProblemCode::not_found, .detail = "there is no token " + id};
}

Response rotate_token(Services& services, const Request& request) {
  const auto overlap = read_body(request, [](ObjectReader& in) {
    return in.optional_duration("overlap").value_or(core::kRotationOverlap);
  });
  if (!overlap) return problem_response(overlap.problem(), request.id);
  const auto before = managed_token(services, request);
  if (!before) return problem_response(before.problem(), request.id);
  const core::TokenText text{.role = before->role, .id = before->id, .secret = new_secret()};
  const auto token = services.api.rotate_token({.id = text.id,
                                                .secret_hash = core::sha256_hex(text.secret),
                                                .overlap = *overlap,
                                                .by = request.actor});
  if (!token) return problem_response(token.problem(), request.id);
  services.server.auth.forget();
  return secret_response(200, *token, text);
}

// Filters by the caller's namespaces: a page may be short or empty although its cursor continues.
Response list_tokens(Services& services, const Request& request) {
  const auto asked = list_of(request);
  if (!asked) return problem_response(asked.problem(), request.id);
  auto page = services.api.list_tokens(*asked);
  if (page)
    std::erase_if(page->items,
                  [&](const core::Token& token) { return !sees_namespaces(request, token.namespaces); });
  return respond_page(request, page, write_token);
}

core::ListAudit read_audit_query(ObjectReader& in) {
  core::ListAudit list;
  if (auto ns = in.optional_text("namespace")) list.filter.namespaces = {std::move(*ns)};
  list.filter.actor = in.optional_text("actor");
  list.filter.action = in.optional_text("action");
  list.filter.object = in.optional_text("object");
  list.filter.outcome = in.optional_text("outcome");
  list.filter.created_after = in.optional_time("created_after");
  list.filter.created_before = in.optional_time("created_before");
  list.limit = read_number(in, "limit").value_or(list.limit);
  list.cursor = in.optional_text("cursor").value_or("");
  return list;
}

Response list_audit(Services& services, const Request& request) {
  auto asked = read_query(request, read_audit_query);
  if (!asked) return problem_response(asked.problem(), request.id);
  auto& namespaces = asked->filter.namespaces;
  if (!namespaces.empty() && !sees_namespaces(request, namespaces))
    return problem_response(not_for(namespaces), request.id);
  if (namespaces.empty() && !sees_namespaces(request, {"*"})) namespaces = request.namespaces;
  return respond_page(request, services.api.list_audit(*asked), wire::write_audit);
}

Response revoke_token(Services& services, const Request& request) {
  if (const auto managed = managed_token(services, request); !managed)
    return problem_response(managed.problem(), request.id);
  const auto token = services.api.revoke_token({.id = request.parameters.at(0), .by = request.actor});
  if (!token) return problem_response(token.problem(), request.id);
  services.server.auth.forget();
  Writer out;
  write_token(out, *token);
  return json_response(200, out.take());
}

Response respond_settings(const Request& request, const core::Result<core::NamespaceSettings>& settings) {
  return respond(request, settings, wire::write_namespace);
}

Response get_namespace(Services& services, const Request& request) {
  return respond_settings(request, services.api.get_namespace(request.parameters.at(0)));
}

Response put_namespace(Services& services, const Request& request) {
  auto patch = read_body(request, wire::read_namespace_patch);
  if (!patch) return refuse(request, patch.problem());
  return respond_settings(
      request, services.api.put_namespace(
                   {.ns = request.parameters.at(0), .patch = std::move(*patch), .by = request.actor}));
}

Response list_nodes(Services& services, const Request& request) {
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

std::span<const Handler> admin_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::create_token, .run = replying<create_token>},
      Handler{.call = Call::list_tokens, .run = replying<list_tokens>},
      Handler{.call = Call::revoke_token, .run = replying<revoke_token>},
      Handler{.call = Call::rotate_token, .run = replying<rotate_token>},
      Handler{.call = Call::get_namespace, .run = replying<get_namespace>},
      Handler{.call = Call::put_namespace, .run = replying<put_namespace>},
      Handler{.call = Call::list_audit, .run = replying<list_audit>},
      Handler{.call = Call::list_nodes, .run = replying<list_nodes>},
      Handler{.call = Call::vitals, .run = replying<vitals>},
      Handler{.call = Call::sweep, .run = replying<sweep>, .is_bulk = true},
      Handler{.call = Call::verify, .run = replying<verify>},
  };
  return kHandlers;
}

}  // namespace pawl::server
