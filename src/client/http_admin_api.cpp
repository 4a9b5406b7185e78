#include "client/http_admin_api.hpp"

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "client/pages.hpp"
#include "wire/maintenance.hpp"
#include "wire/records.hpp"

namespace pawl::client {

using core::Result;
using wire::ObjectReader;
using wire::percent_encoded;
using wire::Writer;

namespace {

constexpr core::Duration kVerifyTimeout = std::chrono::minutes{10};  // it reads the whole store

core::Problem only_in_process(const std::string& what) {
  return {.code = core::ProblemCode::forbidden, .detail = what + " is not available to clients"};
}

std::string audit_query(const core::AuditFilter& filter) {
  std::string query;
  const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value) query += fmt::format("&{}={}", name, percent_encoded(*value));
  };
  const auto text = [](const std::optional<core::TimePoint>& time) {
    return time ? std::optional{core::format_time(*time)} : std::nullopt;
  };
  if (!filter.namespaces.empty()) add("namespace", filter.namespaces.front());
  add("actor", filter.actor);
  add("action", filter.action);
  add("object", filter.object);
  add("outcome", filter.outcome);
  add("created_after", text(filter.created_after));
  add("created_before", text(filter.created_before));
  return query;
}

}  // namespace

Result<core::Token> HttpAdminApi::create_token(const core::CreateToken& request) {
  Writer out;
  out.begin_object().field("role", core::to_string(request.role)).key("namespaces");
  wire::write_texts(out, request.namespaces);
  out.key("queues");
  wire::write_texts(out, request.queues);
  out.field("name", request.name).field("expires_at", request.expires_at).end_object();
  return decoded(
      connection_.call("default", {.method = "POST", .path = "/v1/admin/tokens", .body = out.take()}),
      wire::read_token);
}

Result<core::Token> HttpAdminApi::revoke_token(const core::RevokeToken& request) {
  const std::string path = "/v1/admin/tokens/" + percent_encoded(request.id);
  return decoded(connection_.call("default", {.method = "DELETE", .path = path}), wire::read_token);
}

// The server generates the secret.
Result<core::Token> HttpAdminApi::rotate_token(const core::RotateToken& request) {
  Writer out;
  out.begin_object().field("overlap", request.overlap).end_object();
  const std::string path = "/v1/admin/tokens/" + percent_encoded(request.id) + "/rotate";
  return decoded(connection_.call("default", {.method = "POST", .path = path, .body = out.take()}),
                 wire::read_token);
}

Result<core::FoundToken> HttpAdminApi::find_token(const std::string& /*id*/) {
  return only_in_process("a token by its id");
}

Result<core::Page<core::Token>> HttpAdminApi::list_tokens(const core::ListRecords& list) {
  return decoded(
      connection_.call("default", {.path = list_path("/v1/admin/tokens", list.limit, list.cursor)}),
      page_reader(wire::read_token));
}

Result<core::NamespaceSettings> HttpAdminApi::get_namespace(const std::string& ns) {
  return decoded(connection_.call(ns, {.path = "/v1/admin/namespaces/" + percent_encoded(ns)}),
                 wire::read_namespace);
}

Result<core::NamespaceSettings> HttpAdminApi::put_namespace(const core::PutNamespace& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  wire::write_namespace_patch(out, request.patch);
  const std::string path = "/v1/admin/namespaces/" + percent_encoded(request.ns);
  return decoded(connection_.call(request.ns, {.method = "PUT", .path = path, .body = out.take()}),
                 wire::read_namespace);
}

Result<core::Done> HttpAdminApi::append_audit(std::vector<core::AuditEntry> /*entries*/) {
  return only_in_process("writing to the audit");
}

Result<core::Page<core::AuditEntry>> HttpAdminApi::list_audit(const core::ListAudit& list) {
  const std::string path = list_path("/v1/admin/audit", list.limit, list.cursor) + audit_query(list.filter);
  return decoded(connection_.call("default", {.path = path}), page_reader(wire::read_audit));
}

Result<std::vector<core::NodeStatus>> HttpAdminApi::list_nodes() {
  return decoded(connection_.call("default", {.path = "/v1/admin/nodes"}), [](ObjectReader& in) {
    std::vector<core::NodeStatus> nodes;
    in.objects_leniently("items", [&](ObjectReader& one) { nodes.push_back(wire::read_node(one)); });
    return nodes;
  });
}

Result<core::StoreVitals> HttpAdminApi::vitals() {
  return decoded(connection_.call("default", {.path = "/v1/admin/vitals"}), wire::read_vitals);
}

Result<core::SweepResult> HttpAdminApi::sweep(const core::Sweep& request) {
  Writer out;
  out.begin_object().field("check", core::to_string(request.check));
  if (request.dry_run) out.field("dry_run", true);
  HttpRequest sweep = repeatable_post("/v1/admin/sweep", out.end_object().take());
  sweep.timeout = kVerifyTimeout;  // it may take long
  return decoded(connection_.call("default", std::move(sweep)), wire::read_sweep);
}

Result<core::Verification> HttpAdminApi::verify() {
  HttpRequest request{.path = "/v1/admin/verify"};
  request.timeout = kVerifyTimeout;
  return decoded(connection_.call("default", std::move(request)), wire::read_verification);
}

}  // namespace pawl::client
