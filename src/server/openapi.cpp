#include "server/openapi.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/ensure.hpp"
#include "server/openapi_schema.hpp"
#include "wire/operations.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Field;
using wire::Operation;
using wire::Success;
using wire::Writer;

constexpr std::string_view kVersionMark = "@version@";

// --- shared parts ---

struct SharedHeader {
  std::string_view name;
  std::string_view type;
  std::string_view about;
};
constexpr std::array kResponseHeaders{
    SharedHeader{"X-Request-Id", "string",
                 "The caller's X-Request-Id, or one that the server made; also in its log"},
    SharedHeader{"Idempotent-Replay", "string",
                 "true: the stored response of the first request with this Idempotency-Key"},
    SharedHeader{"ETag", "string", "Of this content, for If-None-Match or If-Match"},
    SharedHeader{"Retry-After", "integer", "Seconds to wait before the next try"},
    SharedHeader{"WWW-Authenticate", "string", "Bearer"},
};

struct RequestHeader {
  std::string_view key;  // of the component
  SharedHeader header;
};
constexpr std::array kRequestHeaders{
    RequestHeader{
        "IdempotencyKey",
        {"Idempotency-Key", "string",
         "The same key with the same request gives the stored response again, for 24 h by default"}},
    RequestHeader{"IfMatch", {"If-Match", "string", "The sequence that the run must have"}},
    RequestHeader{"IfNoneMatch",
                  {"If-None-Match", "string", "An ETag: 304 without a body if it is still that"}},
    RequestHeader{"Traceparent",
                  {"traceparent", "string", "Of the W3C trace context; the run or the task belongs to it"}},
    RequestHeader{"Tracestate", {"tracestate", "string", "Of the W3C trace context"}},
    RequestHeader{"LastEventId",
                  {"Last-Event-ID", "string", "Of a stream: the last event that was received"}},
};

struct Refusal {
  int status;  // 0: default
  std::string_view key;
  std::string_view about;
  std::string_view header = {};
};
constexpr std::array kRefusals{
    Refusal{400, "InvalidArgument", "The request is not valid"},
    Refusal{401, "Unauthorized", "A valid token is needed", "WWW-Authenticate"},
    Refusal{403, "Forbidden", "The token does not allow this"},
    Refusal{404, "NotFound", "There is no such entity in the namespace"},
    Refusal{409, "Conflict", "The state, a lease or another request does not allow this; `code` says which"},
    Refusal{412, "PreconditionFailed", "If-Match or an expected sequence does not hold"},
    Refusal{413, "PayloadTooLarge", "The body or a payload in it is too large"},
    Refusal{422, "IdempotencyMismatch", "The idempotency key belongs to another request"},
    Refusal{429, "ResourceExhausted", "Too much at once", "Retry-After"},
    Refusal{503, "Unavailable", "The store cannot be reached, or does not keep up"},
    Refusal{0, "Problem", "Any other problem"},
};

struct Tag {
  std::string_view name;
  std::string_view about;
};
constexpr std::array kTags{
    Tag{"admin", "Tokens, namespaces, the audit and the store"},
    Tag{"checkpoints", "Evidence that tasks and runs leave"},
    Tag{"definitions", "Workflows as graphs"},
    Tag{"idempotency", "Keys for the calls of workers"},
    Tag{"leases", "Locks for anyone"},
    Tag{"queues", "Limits and counts"},
    Tag{"runs", "Runs of workflows"},
    Tag{"schedules", "Times at which runs and tasks start"},
    Tag{"service", "Health, metrics, this description and the dashboard"},
    Tag{"steps", "Steps of code runs"},
    Tag{"tasks", "Units of leased work"},
    Tag{"types", "Declared task types"},
    Tag{"workers", "Registration and liveness of workers"},
};

// --- one operation ---

bool is_keyed_call(const Operation& operation) {
  return operation.route->method == wire::Method::post && operation.route->role;
}

bool has_header(const Operation& operation, wire::Headers header) {
  return (operation.headers & header) != 0;
}

std::string_view tag_of(const Operation& operation) {
  if (!operation.route->tag.empty()) return operation.route->tag;
  const std::string_view path = operation.path;
  if (!path.starts_with("/v1/")) return "service";
  if (path.starts_with("/v1/admin/")) return "admin";
  constexpr std::string_view kNamespaced = "/v1/{ns}/";
  const std::string_view noun = path.substr(kNamespaced.size());
  return noun.substr(0, noun.find('/'));
}

struct PathParameter {
  std::string_view name;
  std::string_view about;
};
constexpr std::array kPathParameters{
    PathParameter{"ns", "The namespace; it needs no creation"},
    PathParameter{"id", "The id"},
    PathParameter{"name", "The name"},
    PathParameter{"key", "The key, percent-encoded"},
    PathParameter{"type", "The task type"},
    PathParameter{"step", "The id of the step"},
    PathParameter{"version", "The version, from 1"},
    PathParameter{"file", "The name of the file"},
};

std::string_view about_path_parameter(const Operation& operation, std::string_view name) {
  if (name == "id" && tag_of(operation) == "schedules") return "The id or the name";
  for (const PathParameter& one : kPathParameters) {
    if (one.name == name) return one.about;
  }
  PAWL_ENSURE(false, "every parameter of a path is described");
  return {};
}

core::RawJson path_parameter_schema(const Operation& operation, std::string_view name) {
  const std::string_view path = operation.path;
  if (name == "ns")
    return {R"({"type":"string","pattern":"^[a-z0-9][a-z0-9._-]{0,62}$","default":"default"})"};
  if (name == "version") return schema_of("integer");
  const bool is_uuid =
      path.find("/tasks/{id}") != std::string_view::npos || path.find("/runs/{id}") != std::string_view::npos;
  return schema_of(name == "id" && is_uuid ? "uuid" : "string");
}

void write_parameter_ref(Writer& out, std::string_view key) {
  out.begin_object().field("$ref", fmt::format("#/components/parameters/{}", key)).end_object();
}

void write_path_parameters(Writer& out, const Operation& operation) {
  const std::string_view path = operation.path;
  for (std::size_t at = path.find('{'); at != path.npos; at = path.find('{', at + 1)) {
    const std::string_view name = path.substr(at + 1, path.find('}', at) - at - 1);
    out.begin_object().field("name", name).field("in", "path").field("required", true);
    out.field("description", about_path_parameter(operation, name));
    out.field("schema", path_parameter_schema(operation, name)).end_object();
  }
}

// A list is sent as one comma-separated parameter.
void write_query_parameter(Writer& out, const Field& field) {
  out.begin_object().field("name", field.name).field("in", "query").field("required", field.is_required);
  if (!field.about.empty()) out.field("description", field.about);
  if (field.type.starts_with('[')) out.field("style", "form").field("explode", false);
  out.field("schema", schema_of(field.type)).end_object();
}

bool has_success(const Operation& operation, int status) {
  return std::any_of(operation.successes.begin(), operation.successes.end(),
                     [status](const Success& one) { return one.status == status; });
}

void write_parameters(Writer& out, const Operation& operation) {
  out.key("parameters").begin_array();
  write_path_parameters(out, operation);
  for (const Field& field : operation.route->query) write_query_parameter(out, field);
  if (is_keyed_call(operation)) write_parameter_ref(out, "IdempotencyKey");
  if (has_header(operation, wire::kConditional)) write_parameter_ref(out, "IfMatch");
  if (has_success(operation, 304)) write_parameter_ref(out, "IfNoneMatch");
  if (has_header(operation, wire::kTraced)) {
    write_parameter_ref(out, "Traceparent");
    write_parameter_ref(out, "Tracestate");
  }
  if (operation.event == "RunEvent") write_parameter_ref(out, "LastEventId");
  out.end_array();
}

void write_body(Writer& out, const Operation& operation) {
  if (operation.body.empty()) return;
  const bool is_required = std::any_of(operation.body.begin(), operation.body.end(),
                                       [](const Field& field) { return field.is_required; });
  const core::RawJson schema = schema_of(request_name(operation));
  out.key("requestBody").begin_object().field("required", is_required).key("content").begin_object();
  out.key(wire::kJson).begin_object().field("schema", schema).end_object();
  if (has_header(operation, wire::kReadsYaml))
    out.key("application/yaml").begin_object().field("schema", schema).end_object();
  out.end_object().end_object();
}

// --- responses ---

void write_header_refs(Writer& out, const std::vector<std::string_view>& names) {
  out.key("headers").begin_object();
  for (const std::string_view name : names) {
    out.key(name).begin_object();
    out.field("$ref", fmt::format("#/components/headers/{}", name)).end_object();
  }
  out.end_object();
}

std::string_view success_text(const Operation& operation, int status) {
  switch (status) {
    case 202: return "The run has not ended: as it is after the wait";
    case 204: return "The run has ended, and there are no more events";
    case 304: return "The caller's copy is current";
    default: return operation.route->answer;
  }
}

void write_success(Writer& out, const Operation& operation, int status) {
  out.key(std::to_string(status)).begin_object();
  out.field("description", success_text(operation, status));
  std::vector<std::string_view> headers{"X-Request-Id"};
  if (is_keyed_call(operation)) headers.emplace_back("Idempotent-Replay");
  if (has_header(operation, wire::kTagged)) headers.emplace_back("ETag");
  write_header_refs(out, headers);
  const auto has_body = [status](const Success& one) { return one.status == status && !one.type.empty(); };
  if (std::any_of(operation.successes.begin(), operation.successes.end(), has_body)) {
    out.key("content").begin_object();
    for (const Success& one : operation.successes) {
      if (!has_body(one)) continue;
      out.key(one.media).begin_object().field("schema", schema_of(one.type));
      if (one.media == wire::kEventStream) out.field("x-event-data", schema_of(operation.event));
      out.end_object();
    }
    out.end_object();
  }
  out.end_object();
}

bool may_be_refused_with(const Operation& operation, int status) {
  const bool is_post = is_keyed_call(operation);
  const bool reads_body = !operation.body.empty() || is_post;
  if (status == 0 || status == 503) return true;
  if (!operation.route->role)
    return status == 403 || (status == 404 && operation.path.find('{') != std::string::npos);
  switch (status) {
    case 409: return operation.route->method != wire::Method::get;
    case 412: return has_header(operation, wire::kConditional) || operation.id == "appendCheckpoint";
    case 413: return reads_body;
    case 422: return is_post;
    default: return true;
  }
}

void write_responses(Writer& out, const Operation& operation) {
  out.key("responses").begin_object();
  std::vector<int> written;
  for (const Success& success : operation.successes) {
    if (std::find(written.begin(), written.end(), success.status) != written.end()) continue;
    written.push_back(success.status);
    write_success(out, operation, success.status);
  }
  for (const Refusal& refusal : kRefusals) {
    if (!may_be_refused_with(operation, refusal.status)) continue;
    out.key(refusal.status == 0 ? "default" : std::to_string(refusal.status)).begin_object();
    out.field("$ref", fmt::format("#/components/responses/{}", refusal.key)).end_object();
  }
  out.end_object();
}

void write_operation(Writer& out, const Operation& operation) {
  std::string method{wire::name_of(operation.route->method)};
  for (char& c : method) c = static_cast<char>(c | 0x20);
  const std::string role{operation.route->role ? core::to_string(*operation.route->role) : "anyone"};
  out.key(method)
      .begin_object()
      .field("operationId", operation.id)
      .field("summary", operation.summary)
      .field("description", fmt::format("{}. Role: {}.", operation.summary, role))
      .field("x-role", role);
  out.key("tags").begin_array().value(tag_of(operation)).end_array();
  if (!operation.route->role) out.key("security").begin_array().end_array();
  write_parameters(out, operation);
  write_body(out, operation);
  write_responses(out, operation);
  out.end_object();
}

// --- the document ---

void write_shared_responses(Writer& out) {
  out.key("responses").begin_object();
  for (const Refusal& refusal : kRefusals) {
    out.key(refusal.key).begin_object().field("description", refusal.about);
    std::vector<std::string_view> headers{"X-Request-Id"};
    if (!refusal.header.empty()) headers.push_back(refusal.header);
    write_header_refs(out, headers);
    out.key("content").begin_object().key("application/problem+json").begin_object();
    out.field("schema", schema_of("Problem")).end_object().end_object().end_object();
  }
  out.end_object();
}

void write_shared_headers(Writer& out) {
  out.key("headers").begin_object();
  for (const SharedHeader& header : kResponseHeaders) {
    out.key(header.name).begin_object().field("description", header.about);
    out.field("schema", schema_of(header.type)).end_object();
  }
  out.end_object().key("parameters").begin_object();
  for (const RequestHeader& one : kRequestHeaders) {
    out.key(one.key).begin_object().field("name", one.header.name).field("in", "header");
    out.field("description", one.header.about).field("schema", schema_of(one.header.type)).end_object();
  }
  out.end_object();
}

void write_components(Writer& out, const std::vector<Operation>& operations) {
  out.key("components").begin_object();
  write_schemas(out, operations);
  write_shared_responses(out);
  write_shared_headers(out);
  out.key("securitySchemes").begin_object().key("token").begin_object();
  out.field("type", "http")
      .field("scheme", "bearer")
      .field("description",
             "A token of POST /v1/admin/tokens. Until the first one is made, callers on the same machine "
             "need none.");
  out.end_object().end_object().end_object();
}

void write_head(Writer& out) {
  out.field("openapi", "3.1.0").key("info").begin_object();
  out.field("title", "Pawl")
      .field("version", kVersionMark)
      .field(
          "description",
          "Durable execution over HTTP. Durations are strings such as 30s, times RFC 3339 in UTC. A field or "
          "query "
          "parameter that is not listed is refused by name; a client ignores fields that it does not know.");
  out.key("contact").begin_object().field("name", "Pawl").end_object();
  out.key("license").begin_object().field("name", "Apache 2.0").field("identifier", "Apache-2.0");
  out.end_object().end_object();
  out.key("servers").begin_array().begin_object().field("url", "/").field("description", "This server");
  out.end_object().end_array();
  out.key("security")
      .begin_array()
      .begin_object()
      .key("token")
      .begin_array()
      .end_array()
      .end_object()
      .end_array();
  out.key("tags").begin_array();
  for (const Tag& tag : kTags)
    out.begin_object().field("name", tag.name).field("description", tag.about).end_object();
  out.end_array();
}

std::string made_document() {
  const std::vector<Operation> operations = wire::operations();
  std::map<std::string_view, std::vector<const Operation*>> by_path;
  for (const Operation& operation : operations) by_path[operation.path].push_back(&operation);
  Writer out;
  out.begin_object();
  write_head(out);
  out.key("paths").begin_object();
  for (const auto& [path, here] : by_path) {
    out.key(path).begin_object();
    for (const Operation* operation : here) write_operation(out, *operation);
    out.end_object();
  }
  out.end_object();
  write_components(out, operations);
  return out.end_object().take();
}

}  // namespace

// Generated once per process; each request copies it.
std::string openapi_document(const std::string& version) {
  static const std::string document = made_document();
  static const std::size_t mark = document.find(kVersionMark);
  std::string text = document;
  return text.replace(mark, kVersionMark.size(), version);
}

}  // namespace pawl::server
