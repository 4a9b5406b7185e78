#include "store/codec.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json/json_value.hpp"
#include "core/json/json_writer.hpp"
#include "store/store.hpp"

namespace pawl::store {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
T field(const Json& json, const char* name, T fallback) {
  const auto found = json.find(name);
  if (found == json.end()) return fallback;
  if constexpr (std::is_same_v<T, std::string>) {
    return found->is_string() ? found->get<T>() : fallback;
  } else if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->get<T>() : fallback;
  } else {
    return found->is_number() ? found->get<T>() : fallback;
  }
}

core::Duration duration_field(const Json& json, const char* name, core::Duration fallback) {
  return core::Duration{field<std::int64_t>(json, name, fallback.count())};
}

}  // namespace

void note_unreadable(const char* what, core::TaskFacts& facts) {
  facts.labels.insert_or_assign(std::string{core::kUnreadableLabel}, what);
}

namespace {

void write_policy(core::Writer& out, const core::RetryPolicy& policy) {
  out.field("max_attempts", policy.max_attempts);
  out.field("initial_us", policy.initial_interval.count()).field("backoff", policy.backoff);
  out.field("max_us", policy.max_interval.count()).field("jitter", policy.jitter);
  if (!policy.non_retryable.empty()) {
    out.key("non_retryable").begin_array();
    for (const std::string& code : policy.non_retryable) out.value(code);
    out.end_array();
  }
}

}  // namespace

std::optional<std::string> encode_retry(const core::TaskFacts& facts) {
  static const core::RetryPolicy standard;
  const bool has_policy = facts.retry != standard;
  if (!has_policy && !facts.trace) return std::nullopt;
  constexpr std::size_t kMostly = 120;
  core::Writer out{kMostly};  // every workflow body task has one
  out.begin_object();
  if (has_policy) write_policy(out, facts.retry);
  if (facts.trace) {
    out.field("traceparent", facts.trace->traceparent);
    core::field_if(out, "tracestate", facts.trace->tracestate);
  }
  return out.end_object().take();
}

void decode_retry(std::string_view text, core::TaskFacts& facts) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return note_unreadable("retry", facts);
  core::RetryPolicy& policy = facts.retry;
  policy.max_attempts = field(json, "max_attempts", policy.max_attempts);
  policy.initial_interval = duration_field(json, "initial_us", policy.initial_interval);
  policy.backoff = field(json, "backoff", policy.backoff);
  policy.max_interval = duration_field(json, "max_us", policy.max_interval);
  policy.jitter = field(json, "jitter", policy.jitter);
  if (const auto codes = json.find("non_retryable"); codes != json.end() && codes->is_array()) {
    for (const Json& code : *codes) {
      if (code.is_string()) policy.non_retryable.push_back(code.get<std::string>());
    }
  }
  auto traceparent = field<std::string>(json, "traceparent", "");
  if (!traceparent.empty())
    facts.trace = core::TraceContext{.traceparent = std::move(traceparent),
                                     .tracestate = field<std::string>(json, "tracestate", "")};
}

std::optional<std::string> encode_labels(const core::Labels& labels) {
  if (labels.empty()) return std::nullopt;
  return Json(labels).dump();
}

void decode_labels(std::string_view text, core::TaskFacts& facts) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return note_unreadable("labels", facts);
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) facts.labels.emplace(name, value.get<std::string>());
  }
}

namespace {
constexpr std::string_view kRunInputMark = "@";
}  // namespace

std::optional<std::string_view> encode_task_payload(const core::TaskFacts& facts) {
  if (facts.takes_run_input) return kRunInputMark;
  return facts.payload.empty() ? std::nullopt : std::optional<std::string_view>{facts.payload.text};
}

void decode_task_payload(core::TaskFacts& facts) {
  if (facts.payload.text == kRunInputMark) {
    facts.payload = {};
    facts.takes_run_input = true;
    return;
  }
  const std::string_view text = core::trimmed(facts.payload.text);
  if (text.empty()) return;
  const char last = text.back();
  bool is_whole = true;
  switch (text.front()) {
    case '{': is_whole = last == '}'; break;
    case '[': is_whole = last == ']'; break;
    case '"': is_whole = last == '"' && text.size() > 1; break;
    default: is_whole = !core::json_error(text); break;  // a number or a literal
  }
  if (!is_whole) note_unreadable("payload", facts);
}

std::string encode_error(const core::TaskError& error) {
  return Json{{"code", error.code}, {"message", error.message}, {"retryable", error.retryable}}.dump();
}

core::TaskError decode_error(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {.code = "unreadable", .message = "the stored error cannot be read"};
  return {.code = field<std::string>(json, "code", "unknown"),
          .message = field<std::string>(json, "message", ""),
          .retryable = field(json, "retryable", true)};
}

std::optional<std::string> encode_type_limits(const std::map<std::string, std::int64_t>& limits) {
  if (limits.empty()) return std::nullopt;
  return Json(limits).dump();
}

bool is_readable(const core::Record& record) {
  return record.body.text.starts_with('{') && !core::json_error(record.body.text);
}

core::Record checked(core::Record record) {
  if (is_readable(record)) return record;
  throw StoreError{StoreError::Kind::internal,
                   fmt::format("record {} '{}' in namespace {}: the body is not a JSON object",
                               core::to_string(record.ref.kind), record.ref.key, record.ref.ns)};
}

core::Record shown(core::Record record) {
  if (!is_readable(record)) record.body.text = "{}";
  return record;
}

void decode_type_limits(std::string_view text, core::QueueSettings& settings) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    settings.paused = true;
    return;
  }
  for (const auto& [type, value] : json.items()) {
    if (value.is_number_integer()) settings.type_concurrency.emplace(type, value.get<std::int64_t>());
  }
}

}  // namespace pawl::store
