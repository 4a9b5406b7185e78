#include "wire/parts.hpp"

#include <algorithm>
#include <limits>

namespace pawl::wire {

void write_labels(Writer& out, const core::Labels& labels) {
  out.begin_object();
  for (const auto& [name, value] : labels) out.field(name, value);
  out.end_object();
}

void write_error(Writer& out, const std::optional<core::TaskError>& error) {
  if (!error) {
    out.null();
    return;
  }
  out.begin_object()
      .field("code", error->code)
      .field("message", error->message)
      .field("retryable", error->retryable)
      .end_object();
}

core::TaskError read_given_error(ObjectReader& in) {
  core::TaskError error;
  const auto code = in.optional_text("code");
  const auto message = in.optional_text("message");
  if (!code && !message) in.mistake("code", "is required, or a message");
  error.code = code.value_or("error");
  error.message = message.value_or("");
  error.retryable = in.optional_boolean("retryable").value_or(true);
  return error;
}

std::optional<std::pair<std::string, std::string>> read_label(ObjectReader& in) {
  const auto label = in.optional_text("label");
  if (!label) return std::nullopt;
  const std::size_t colon = label->find(':');
  if (colon == std::string::npos) {
    in.mistake("label", "must be name:value");
    return std::nullopt;
  }
  return std::pair{label->substr(0, colon), label->substr(colon + 1)};
}

std::vector<std::string> read_comma_list(ObjectReader& in, std::string_view name) {
  const std::string whole = in.optional_text(name).value_or("");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find(',', at), whole.size());
    words.push_back(whole.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::optional<core::TaskError> read_error(ObjectReader& in, std::string_view name) {
  std::optional<core::TaskError> error;
  in.optional_object_leniently(name, [&](ObjectReader& inner) { error = read_given_error(inner); });
  return error;
}

core::TimePoint read_time(ObjectReader& in, std::string_view name) {
  return in.optional_time(name).value_or(core::TimePoint{});
}

int read_int(ObjectReader& in, std::string_view name) {
  return static_cast<int>(std::clamp<std::int64_t>(in.optional_integer(name).value_or(0),
                                                   std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

std::string text_or_none(ObjectReader& in, std::string_view name) {
  return in.optional_text(name).value_or("");
}

std::optional<std::string> none_if_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

}  // namespace pawl::wire
