#include "core/base/source_line.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "core/json/json_value.hpp"

namespace pawl::core {

namespace {

// One step down a path: the location of the part, the part, and the rest of the path.
struct Step {
  const char* at;
  std::string_view value;
  std::string_view rest;
};

// A key may contain dots: the longest match is meant. Of duplicate keys the last one is meant, which is the
// surplus one.
std::optional<Step> into_object(std::string_view object, std::string_view path) {
  std::optional<Step> best;
  for (const Member& member : members_of(object)) {
    if (!path.starts_with(member.key)) continue;
    const std::string_view rest = path.substr(member.key.size());
    const bool is_whole = rest.empty() || rest.front() == '.' || rest.front() == '[';
    if (is_whole && (!best || rest.size() <= best->rest.size()))
      best = Step{.at = member.name.data(), .value = member.value, .rest = rest};
  }
  return best;
}

std::optional<Step> into_array(std::string_view array, std::string_view path) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), index);
  const auto used = static_cast<std::size_t>(end - path.data());
  const std::vector<std::string_view> elements = elements_of(array);
  if (error != std::errc{} || index >= elements.size() || used >= path.size()) return std::nullopt;
  const std::string_view element = elements[index];
  return Step{.at = element.data(), .value = element, .rest = path.substr(used + 1)};
}

std::optional<Step> next_step(std::string_view value, std::string_view path) {
  const JsonKind kind = kind_of(value);
  if (kind == JsonKind::array && path.starts_with('[')) return into_array(value, path);
  if (kind != JsonKind::object) return std::nullopt;
  return into_object(value, path.starts_with('.') ? path.substr(1) : path);
}

std::string sentence_of(const FieldError& error) {
  if (error.field.empty()) return fmt::format("line {}: {}", error.line, error.message);
  return fmt::format("line {}: {}: {}", error.line, error.field, error.message);
}

// The last step that `path` reaches in `json`; the rest of the path does not exist.
Step last_step(std::string_view json, std::string_view path) {
  const std::string_view whole = trimmed(json);
  Step step{.at = whole.data(), .value = whole, .rest = path};
  while (!step.rest.empty()) {
    const auto next = next_step(step.value, step.rest);
    if (!next) break;
    step = *next;
  }
  return step;
}

// The beginning of a value, without white space between its tokens.
std::string shortened(std::string_view value) {
  std::string out;
  bool is_in_text = false;
  bool is_escaped = false;
  for (const char c : value) {
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (is_space && !is_in_text) continue;
    const bool begins_letter = (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    if (begins_letter && out.size() >= kQuotedBytesMax) return out + "…";
    out.push_back(c);
    if (c == '"' && !is_escaped) is_in_text = !is_in_text;
    is_escaped = c == '\\' && !is_escaped;
  }
  return out;
}

// A message that contains the value already, or the path of a cycle, needs no quote.
bool names_value(const std::string& message, std::string_view value) {
  if (message.starts_with("is a cycle")) return true;
  if (message.starts_with("must be from") && message.find(", not ") != std::string::npos) return true;
  if (kind_of(value) != JsonKind::string) return false;
  return message.find(fmt::format("'{}'", text_of(value))) != std::string::npos;
}

void quote_value(FieldError& error, const Step& step) {
  const bool is_there = !error.field.empty() && step.rest.empty();
  if (is_there && !names_value(error.message, step.value))
    error.message += fmt::format(" (got {})", shortened(step.value));
}

}  // namespace

int line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

int line_of(std::string_view json, std::string_view path) {
  return line_at(json, static_cast<std::size_t>(last_step(json, path).at - json.data()));
}

Problem with_places(Problem problem, std::string_view json) {
  if (problem.errors.empty()) return problem;
  for (FieldError& error : problem.errors) {
    const Step step = last_step(json, error.field);
    error.line = line_at(json, static_cast<std::size_t>(step.at - json.data()));
    quote_value(error, step);
  }
  problem.detail = sentence_of(problem.errors.front());
  const std::size_t more = problem.errors.size() - 1;
  if (more > 0) problem.detail += fmt::format(" (and {} more)", more);
  return problem;
}

Problem invalid_line(int line, std::string message) {
  const FieldError error{.field = "", .message = std::move(message), .line = line};
  return {.code = ProblemCode::invalid_argument, .detail = sentence_of(error), .errors = {error}};
}

}  // namespace pawl::core
