// The route table as an OpenAPI document.

#include <map>
#include <vector>

#include "server/calls.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Field;
using wire::Route;
using wire::Writer;

// The names of ours that a field's type may have, as JSON Schema.
const std::map<std::string_view, std::string_view>& schemas() {
  static const std::map<std::string_view, std::string_view> known{
      {"string", R"({"type":"string"})"},
      {"integer", R"({"type":"integer"})"},
      {"number", R"({"type":"number"})"},
      {"boolean", R"({"type":"boolean"})"},
      {"json", R"({})"},
      {"duration", R"({"type":"string","pattern":"^[0-9.]+(ms|s|m|h|d)$","example":"30s"})"},
      {"time", R"({"type":"string","format":"date-time"})"},
      {"strings", R"({"type":"array","items":{"type":"string"}})"},
      {"labels", R"({"type":"object","additionalProperties":{"type":"string"}})"},
      {"durations", R"({"type":"object","additionalProperties":{"type":"string"},"nullable":true})"},
      {"limits", R"({"type":"object","additionalProperties":{"type":"integer"},"nullable":true})"},
      {"rate",
       R"({"type":"object","nullable":true,"properties":{"limit":{"type":"integer"},"per":{"type":"string"}}})"},
      {"error",
       R"({"type":"object","required":["code"],"properties":{"code":{"type":"string"},"message":{"type":"string"},"retryable":{"type":"boolean"}}})"},
      {"retry",
       R"({"type":"object","properties":{"max_attempts":{"type":"integer"},"max_retries":{"type":"integer"},"initial_interval":{"type":"string"},"backoff":{"type":"number"},"max_interval":{"type":"string"},"jitter":{"type":"number"},"non_retryable":{"type":"array","items":{"type":"string"}}}})"},
      {"tasks", R"({"type":"array","maxItems":10000,"items":{"type":"object"}})"},
      {"reports", R"({"type":"array","maxItems":10000,"items":{"type":"object"}})"},
      {"filter", R"({"type":"object"})"},
  };
  return known;
}

core::RawJson schema_of(std::string_view type) {
  const auto known = schemas().find(type);
  return {std::string{known == schemas().end() ? std::string_view{"{}"} : known->second}};
}

std::vector<std::string> parameters_of(std::string_view path) {
  std::vector<std::string> names;
  for (std::size_t at = path.find('{'); at != std::string_view::npos; at = path.find('{', at + 1)) {
    names.emplace_back(path.substr(at + 1, path.find('}', at) - at - 1));
  }
  return names;
}

void write_parameters(Writer& out, const Route& route) {
  out.key("parameters").begin_array();
  for (const std::string& name : parameters_of(route.path)) {
    out.begin_object().field("name", name).field("in", "path").field("required", true);
    out.field("schema", schema_of("string")).end_object();
  }
  for (const Field& field : route.query) {
    out.begin_object().field("name", field.name).field("in", "query").field("required", field.is_required);
    if (!field.about.empty()) out.field("description", field.about);
    out.field("schema", schema_of(field.type)).end_object();
  }
  out.end_array();
}

void write_body(Writer& out, const Route& route) {
  if (route.body.empty()) return;
  out.key("requestBody").begin_object().key("content").begin_object().key("application/json").begin_object();
  out.key("schema").begin_object().field("type", "object").field("additionalProperties", false);
  out.key("required").begin_array();
  for (const Field& field : route.body) {
    if (field.is_required) out.value(field.name);
  }
  out.end_array().key("properties").begin_object();
  for (const Field& field : route.body) {
    std::string schema = schema_of(field.type).text;
    if (!field.about.empty()) {
      const std::string about = "\"description\":" + core::json_quote(field.about);
      schema.insert(schema.size() - 1, (schema.size() > 2 ? "," : "") + about);
    }
    out.field(field.name, core::RawJson{schema});
  }
  out.end_object().end_object().end_object().end_object().end_object();
}

void write_operation(Writer& out, const Route& route) {
  std::string method{wire::name_of(route.method)};
  for (char& c : method) c = static_cast<char>(c | 0x20);
  out.key(method)
      .begin_object()
      .field("summary", route.summary)
      .field("x-role", route.role ? core::to_string(*route.role) : "anyone");
  write_parameters(out, route);
  write_body(out, route);
  out.key("responses").begin_object();
  out.key("2XX").begin_object().field("description", route.answer).end_object();
  out.key("default").begin_object().field("description", "application/problem+json").end_object();
  out.end_object().end_object();
}

}  // namespace

std::string openapi_document(const std::string& version) {
  std::map<std::string_view, std::vector<const Route*>> by_path;
  for (const Route& route : wire::routes()) by_path[route.path].push_back(&route);
  Writer out;
  out.begin_object().field("openapi", "3.0.3");
  out.key("info").begin_object().field("title", "Pawl").field("version", version).end_object();
  out.key("paths").begin_object();
  for (const auto& [path, routes] : by_path) {
    out.key(path).begin_object();
    for (const Route* route : routes) write_operation(out, *route);
    out.end_object();
  }
  return out.end_object().end_object().take();
}

}  // namespace pawl::server
