#include "tests/over_http/answer_check.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"
#include "server/openapi.hpp"
#include "server/openapi_schema.hpp"

namespace pawl::testing {

namespace {

using Json = nlohmann::json;

// A response may contain these headers only if the document describes them.
constexpr std::array<std::string_view, 5> kDescribedHeaders{"ETag", "Retry-After", "Idempotent-Replay",
                                                            "WWW-Authenticate", "X-Request-Id"};
// A response must contain these headers if the document describes them. The ETag is not among them: responses
// with parts of a run lack it.
constexpr std::array<std::string_view, 3> kSentHeaders{"Retry-After", "WWW-Authenticate", "X-Request-Id"};

const Json& resolved(const Json& document, const Json& part) {
  if (!part.contains("$ref")) return part;
  return document.at(Json::json_pointer{part["$ref"].get<std::string>().substr(1)});
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

bool fits_format(const std::string& format, const std::string& text) {
  if (format == "uuid") return core::parse_uuid(text).has_value();
  if (format == "date-time") return core::parse_time(text).has_value();
  return false;
}

// In a request, null means that the field is absent.
bool is_left_out(const Json& schema, const Json& member) {
  return member.is_null() && schema.contains("additionalProperties") &&
         schema["additionalProperties"].is_boolean();
}

std::string object_mismatch(const Json& document, const Json& schema, const Json& value,
                            const std::string& path) {
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return fmt::format("{}.{} is missing", path, name);
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : value.items()) {
    const std::string where = path + "." + name;
    const Json* const known = properties.contains(name)                 ? &schema["properties"][name]
                              : schema.contains("additionalProperties") ? &schema["additionalProperties"]
                                                                        : nullptr;
    if (known == nullptr || known->is_boolean()) return where + " is not described";
    if (is_left_out(schema, member)) continue;
    if (std::string fault = mismatch(document, *known, member, where); !fault.empty()) return fault;
  }
  return {};
}

std::string text_mismatch(const Json& schema, const std::string& text, const std::string& path) {
  const auto at_fault = [&](const std::string& what) { return fmt::format("{}: '{}' {}", path, text, what); };
  if (schema.contains("format") && !fits_format(schema["format"], text))
    return at_fault("is no " + schema["format"].get<std::string>());
  if (schema.contains("pattern") &&
      !std::regex_search(text, std::regex{schema["pattern"].get<std::string>()}))
    return at_fault("does not match " + schema["pattern"].get<std::string>());
  return {};
}

bool has_type(const Json& schema, const Json& value) {
  if (!schema.contains("type")) return true;
  const Json& type = schema["type"];
  if (type.is_string()) return is_of_type(value, type);
  return std::any_of(type.begin(), type.end(), [&](const Json& one) { return is_of_type(value, one); });
}

std::string any_of_mismatch(const Json& document, const Json& choices, const Json& value,
                            const std::string& path) {
  std::string first;
  for (const Json& choice : choices) {
    const std::string fault = mismatch(document, choice, value, path);
    if (fault.empty()) return {};
    if (first.empty()) first = fault;
  }
  return first;
}

// A payload may contain numbers beyond the range of double, which this parser refuses. The comparison accepts
// any number in their place.
Json parsed(const std::string& text) {
  static const std::regex large_exponent{"[eE]\\+?[0-9]{3,}(?=[,}\\]])"};
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) json = Json::parse(std::regex_replace(text, large_exponent, "e1"), nullptr, false);
  return json;
}

std::string media_of(const std::string& content_type) {
  return content_type.substr(0, content_type.find(';'));
}

}  // namespace

std::string mismatch(const Json& document, const Json& given, const Json& value, const std::string& path) {
  const Json& schema = resolved(document, given);
  if (!has_type(schema, value))
    return fmt::format("{} is {}, not of type {}", path, value.type_name(), schema["type"].dump());
  if (schema.contains("anyOf")) return any_of_mismatch(document, schema["anyOf"], value, path);
  if (schema.contains("enum")) {
    const Json& names = schema["enum"];
    if (std::find(names.begin(), names.end(), value) == names.end())
      return fmt::format("{} is {}, none of {}", path, value.dump(), names.dump());
  }
  if (value.is_string()) return text_mismatch(schema, value.get<std::string>(), path);
  const bool is_any = !schema.contains("type");
  if (value.is_object() && !is_any) return object_mismatch(document, schema, value, path);
  if (!value.is_array() || is_any) return {};
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string fault = mismatch(document, schema.at("items"), value[i], fmt::format("{}[{}]", path, i));
    if (!fault.empty()) return fault;
  }
  return {};
}

AnswerCheck& AnswerCheck::instance() {
  static AnswerCheck one;
  return one;
}

AnswerCheck::AnswerCheck()
    : operations_(wire::operations()), document_(Json::parse(server::openapi_document("test"))) {}

const wire::Operation& AnswerCheck::operation_of(const wire::Route& route, const std::string& path) const {
  const std::string action = path.substr(path.rfind('/') + 1);
  const wire::Operation* found = nullptr;
  for (const wire::Operation& operation : operations_) {
    if (operation.route != &route) continue;
    const bool is_action = operation.path != route.path && operation.path.ends_with("/" + action);
    if (found == nullptr || is_action) found = &operation;
  }
  return *found;
}

const Json* AnswerCheck::described(const wire::Operation& operation, int status) const {
  std::string method{wire::name_of(operation.route->method)};
  std::transform(method.begin(), method.end(), method.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const Json& responses = document_["paths"][operation.path][method]["responses"];
  const auto one = responses.find(std::to_string(status));
  if (one != responses.end()) return &resolved(document_, *one);
  // Refusals that any request may get before it is routed, and server errors.
  constexpr std::array<int, 6> kOfTransport{405, 408, 414, 415, 421, 431};
  const bool is_other =
      status >= 500 || std::find(kOfTransport.begin(), kOfTransport.end(), status) != kOfTransport.end();
  return is_other ? &resolved(document_, responses.at("default")) : nullptr;
}

std::string AnswerCheck::header_fault(const Json& described, const server::Response& response) const {
  const Json headers = described.value("headers", Json::object());
  std::set<std::string> sent;
  for (const auto& [name, value] : response.headers) sent.insert(name);
  for (const std::string_view name : kDescribedHeaders) {
    if (sent.contains(std::string{name}) && !headers.contains(std::string{name}))
      return fmt::format("the header {} is not described", name);
  }
  for (const std::string_view name : kSentHeaders) {
    if (headers.contains(std::string{name}) && !sent.contains(std::string{name}))
      return fmt::format("the header {} is missing", name);
  }
  return {};
}

std::string AnswerCheck::body_fault(const Json& described, const server::Response& response) const {
  constexpr int kNotModified = 304;
  if (response.status == kNotModified) return {};  // the transport omits the body
  if (!described.contains("content")) return response.body.empty() ? "" : "a body is not described";
  const Json& content = described["content"];
  const std::string media = media_of(response.content_type);
  if (!content.contains(media)) {
    return content.contains("*/*") ? "" : fmt::format("the media type {} is not described", media);
  }
  if (!media.ends_with("json")) return {};
  const Json body = parsed(response.body);
  if (body.is_discarded()) return "the body is not JSON";
  return mismatch(document_, content[media]["schema"], body);
}

std::string AnswerCheck::fault_of(const wire::Operation& operation, const server::Response& response) const {
  const Json* const one = described(operation, response.status);
  if (one == nullptr) return "the status is not described";
  std::string fault = header_fault(*one, response);
  return fault.empty() ? body_fault(*one, response) : fault;
}

void AnswerCheck::check(const wire::Route& route, const std::string& path, const server::Response& response) {
  const wire::Operation& operation = operation_of(route, path);
  const std::string name = fmt::format("{} {}", operation.id, response.status);
  const std::string fault = fault_of(operation, response);
  if (!fault.empty())
    ADD_FAILURE() << name << " is not as /openapi.json says: " << fault << "\n" << response.body;
  const std::lock_guard lock{mutex_};
  seen_.insert(response.events ? name + " as events" : name);
}

void AnswerCheck::check_request(const wire::Route& route, const std::string& path, const std::string& body) {
  const wire::Operation& operation = operation_of(route, path);
  if (operation.body.empty() || body.empty()) return;
  if (route.call == wire::Call::report_tasks) return;  // an invalid report gets a result of its own
  const Json schema{{"$ref", fmt::format("#/components/schemas/{}", server::request_name(operation))}};
  const std::string fault = mismatch(document_, schema, parsed(body));
  if (!fault.empty())
    ADD_FAILURE() << operation.id << " took what /openapi.json does not allow: " << fault << "\n" << body;
}

void AnswerCheck::check_event(std::string_view operation_id, const std::string& data) {
  for (const wire::Operation& operation : operations_) {
    if (operation.id != operation_id) continue;
    const Json& content = described(operation, 200)->at("content").at(wire::kEventStream);
    EXPECT_EQ(mismatch(document_, content["x-event-data"], Json::parse(data)), "") << operation_id << "\n"
                                                                                   << data;
  }
}

std::set<std::string> AnswerCheck::seen() {
  const std::lock_guard lock{mutex_};
  return seen_;
}

std::set<std::string> AnswerCheck::successes() const {
  std::set<std::string> all;
  for (const wire::Operation& operation : operations_) {
    for (const wire::Success& success : operation.successes) {
      const bool is_followed = success.media == wire::kEventStream;
      all.insert(fmt::format("{} {}{}", operation.id, success.status, is_followed ? " as events" : ""));
    }
  }
  return all;
}

}  // namespace pawl::testing
