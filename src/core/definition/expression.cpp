#include "core/definition/expression.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/json/json_value.hpp"

namespace pawl::core {

namespace {

constexpr std::string_view kRef = "$ref";
constexpr std::string_view kRootsMessage =
    "must begin with #/input, #/tasks/ID/output, #/tasks/ID/errors, #/item or #/index";

// The tokens of "#/a/b~1c", unescaped; nullopt if the text has another form.
std::optional<std::vector<std::string>> tokens_of(std::string_view text) {
  if (!text.starts_with("#/")) return std::nullopt;
  std::vector<std::string> tokens(1);
  for (std::size_t i = 2; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/') {
      tokens.emplace_back();
    } else if (c != '~') {
      tokens.back().push_back(c);
    } else if (i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1')) {
      tokens.back().push_back(text[++i] == '0' ? '~' : '/');
    } else {
      return std::nullopt;
    }
  }
  return tokens;
}

void append_token(std::string& out, std::string_view token) {
  out.push_back('/');
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
}

std::optional<std::string_view> member_at(std::string_view object, const std::string& key) {
  std::optional<std::string_view> found;  // of duplicate keys the last counts, as in most parsers
  for (const Member& member : members_of(object)) {
    if (member.key == key) found = member.value;
  }
  return found;
}

std::optional<std::string_view> element_at(std::string_view array, const std::string& token) {
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [last, error] = std::from_chars(token.data(), end, index);
  const bool is_index = error == std::errc{} && last == end && (token.size() == 1 || token.front() != '0');
  if (!is_index) return std::nullopt;
  const std::vector<std::string_view> elements = elements_of(array);
  return index < elements.size() ? std::optional{elements[index]} : std::nullopt;
}

// The elements of an array or the values of an object, in order.
std::vector<std::string_view> parts_of(std::string_view value) {
  if (kind_of(value) == JsonKind::array) return elements_of(value);
  std::vector<std::string_view> parts;
  for (const Member& member : members_of(value)) parts.push_back(member.value);
  return parts;
}

// A cheap test: false only if the value contains no reference, not even in escapes.
bool may_refer(std::string_view value) {
  return value.find(kRef) != std::string_view::npos || value.find("\\u") != std::string_view::npos;
}

class Renderer {
 public:
  explicit Renderer(Resolver& resolver) : resolver_(resolver) {}

  Evaluated<RawJson> run(std::string_view value) {
    if (const Evaluated<Done> done = append(trimmed(value), 0); !done) return done.problem();
    return RawJson{std::move(out_)};
  }

 private:
  Evaluated<Done> append(std::string_view value, int depth) {
    if (!may_refer(value)) return copy(value);
    if (const auto text = reference_text(value)) return append_reference(*text, depth);
    const JsonKind kind = kind_of(value);
    if (kind != JsonKind::array && kind != JsonKind::object) return copy(value);
    const char* at = value.data();
    for (const std::string_view part : parts_of(value)) {
      out_.append(at, part.data());
      if (const Evaluated<Done> done = append(part, depth + 1); !done) return done;
      at = part.data() + part.size();
    }
    return copy({at, static_cast<std::size_t>(value.data() + value.size() - at)});
  }

  Evaluated<Done> append_reference(const std::string& text, int depth) {
    const auto reference = parse_reference(text);
    if (!reference) return evaluation_error(kInvalidReference, reference.problem());
    const auto value = resolver_.value_of(*reference);
    if (!value) return value.problem();
    if (depth + depth_of(*value) > kJsonDepthMax)
      return evaluation_error(kInvalidValue, fmt::format("with the value of {} it is nested deeper than {}",
                                                         text, kJsonDepthMax));
    return copy(*value);
  }

  Evaluated<Done> copy(std::string_view text) {
    out_ += text;
    if (out_.size() <= kPayloadBytesMax) return Done{};
    return evaluation_error("payload_too_large",
                            fmt::format("has over {} bytes with its references replaced", kPayloadBytesMax));
  }

  Resolver& resolver_;
  std::string out_;
};

}  // namespace

Result<Reference, std::string> parse_reference(std::string_view text) {
  auto tokens = tokens_of(text);
  if (!tokens) return fmt::format("{} and be a JSON pointer", kRootsMessage);
  Reference reference;
  std::size_t used = 1;
  const std::string& root = tokens->front();
  if (root == "item") {
    reference.root = Reference::Root::item;
  } else if (root == "index" && tokens->size() == 1) {
    reference.root = Reference::Root::index;
  } else if (root == "tasks" && tokens->size() >= 3 &&
             ((*tokens)[2] == "output" || (*tokens)[2] == "errors")) {
    reference.root = (*tokens)[2] == "output" ? Reference::Root::output : Reference::Root::errors;
    reference.task = (*tokens)[1];
    used = 3;
  } else if (root != "input") {
    return std::string{kRootsMessage};
  }
  reference.path.assign(tokens->begin() + static_cast<std::ptrdiff_t>(used), tokens->end());
  return reference;
}

std::string to_string(const Reference& reference) {
  std::string text = "#";
  switch (reference.root) {
    case Reference::Root::input: text += "/input"; break;
    case Reference::Root::item: text += "/item"; break;
    case Reference::Root::index: text += "/index"; break;
    case Reference::Root::output:
    case Reference::Root::errors:
      text += "/tasks";
      append_token(text, reference.task);
      text += reference.root == Reference::Root::output ? "/output" : "/errors";
      break;
  }
  for (const std::string& token : reference.path) append_token(text, token);
  return text;
}

std::optional<std::string_view> find_in(std::string_view value, const std::vector<std::string>& path) {
  std::optional<std::string_view> found = trimmed(value);
  for (const std::string& token : path) {
    const JsonKind kind = kind_of(*found);
    if (kind == JsonKind::object) {
      found = member_at(*found, token);
    } else if (kind == JsonKind::array) {
      found = element_at(*found, token);
    } else {
      return std::nullopt;
    }
    if (!found) return std::nullopt;
  }
  return found;
}

TaskError evaluation_error(std::string code, std::string message) {
  return {.code = std::move(code), .message = std::move(message), .retryable = false};
}

Evaluated<std::optional<std::string_view>> Resolver::find(const Reference& reference) {
  const auto root = lookup_(reference);
  if (!root) return std::optional<std::string_view>{};
  bytes_read_ += root->size();
  if (bytes_read_ > kEvaluationBytesMax)
    return evaluation_error(
        kInvalidValue,
        fmt::format("its references read over {} bytes in total: split the template", kEvaluationBytesMax));
  return find_in(*root, reference.path);
}

Evaluated<std::string_view> Resolver::value_of(const Reference& reference) {
  const auto found = find(reference);
  if (!found) return found.problem();
  if (!*found && missing_ == Missing::is_null) return std::string_view{"null"};
  if (!*found)
    return evaluation_error(kInvalidReference, fmt::format("{} does not exist", to_string(reference)));
  return **found;
}

Evaluated<RawJson> render(std::string_view value, Resolver& resolver) {
  return Renderer{resolver}.run(value);
}

Evaluated<RawJson> render(const RawJson& value, const Lookup& lookup, Missing missing) {
  Resolver resolver{lookup, missing};
  return render(value.text, resolver);
}

Evaluated<std::vector<RawJson>> render_elements(const RawJson& for_each, const Lookup& lookup,
                                                std::size_t* bytes_read) {
  Resolver resolver{lookup};
  const Evaluated<RawJson> list = render(for_each.text, resolver);
  if (bytes_read != nullptr) *bytes_read = resolver.bytes_read();
  if (!list) return list.problem();
  const JsonKind kind = kind_of(list->text);
  if (kind != JsonKind::array)
    return evaluation_error(kInvalidValue, fmt::format("for_each needs an array, not {}", name_of(kind)));
  const std::vector<std::string_view> elements = elements_of(list->text);
  if (elements.size() > kFanOutMax)
    return evaluation_error(kInvalidValue, fmt::format("for_each has {} elements, at most {} can be",
                                                       elements.size(), kFanOutMax));
  std::vector<RawJson> items;
  items.reserve(elements.size());
  for (const std::string_view element : elements) items.push_back({std::string{element}});
  return items;
}

std::optional<std::string> reference_text(std::string_view value) {
  if (kind_of(value) != JsonKind::object) return std::nullopt;
  const std::vector<Member> members = members_of(value);
  if (members.size() != 1 || members.front().key != kRef) return std::nullopt;
  if (kind_of(members.front().value) != JsonKind::string) return std::nullopt;
  return text_of(members.front().value);
}

void check_reference(std::string_view text, const std::string& field, Mistakes& mistakes,
                     std::vector<PlacedReference>& references) {
  auto reference = parse_reference(text);
  if (reference) {
    references.push_back({.field = field, .reference = std::move(*reference)});
  } else {
    mistakes.add(field + ".$ref", reference.problem());
  }
}

void check_template(std::string_view value, const std::string& field, Mistakes& mistakes,
                    std::vector<PlacedReference>& references) {
  if (const auto text = reference_text(value)) {
    check_reference(*text, field, mistakes, references);
    return;
  }
  const JsonKind kind = kind_of(value);
  if (kind == JsonKind::array) {
    std::size_t index = 0;
    for (const std::string_view element : elements_of(value))
      check_template(element, fmt::format("{}[{}]", field, index++), mistakes, references);
  } else if (kind == JsonKind::object) {
    std::set<std::string> seen;
    for (const Member& member : members_of(value)) {
      const std::string path = fmt::format("{}.{}", field, member.key);
      if (!seen.insert(member.key).second) mistakes.add(path, "is given twice");
      if (member.key == kRef) mistakes.add(path, "must be a string and stand alone in its object");
      check_template(member.value, path, mistakes, references);
    }
  }
}

}  // namespace pawl::core
