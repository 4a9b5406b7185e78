#include "core/json/schema.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/json/decimal.hpp"
#include "core/json/json_value.hpp"

namespace pawl::core {

// One level of a schema.
struct Schema::Parsed {
  std::vector<std::string> types = {};  // a value has one of them; empty: any
  std::vector<std::string> required = {};
  std::map<std::string, std::unique_ptr<Parsed>, std::less<>> properties = {};
  std::unique_ptr<Parsed> items = {};
  std::optional<std::set<std::string>> allowed = {};  // from the enum, by their canonical text
  std::string allowed_text = {};
  std::string minimum = {};  // as spelled; empty: none
  std::string maximum = {};
  std::vector<std::string> fields = {};  // that an object must have; only at the top level
};

namespace {

constexpr std::array<std::string_view, 7> kTypes{"object",  "array",   "string", "number",
                                                 "integer", "boolean", "null"};
// They constrain nothing; `format` is one of them unless a validator opts in.
constexpr std::array<std::string_view, 10> kAnnotations{"$schema",    "$comment", "title",    "description",
                                                        "default",    "examples", "readOnly", "writeOnly",
                                                        "deprecated", "format"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view type_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::object: return "object";
    case JsonKind::array: return "array";
    case JsonKind::string: return "string";
    case JsonKind::number: return "number";
    case JsonKind::boolean: return "boolean";
    case JsonKind::null: break;
  }
  return "null";
}

bool is_of_type(std::string_view value, const std::string& type) {
  const JsonKind kind = kind_of(value);
  if (type == "integer") return kind == JsonKind::number && is_whole(trimmed(value));
  return type_of(kind) == type;
}

// --- the schema ---

Status check_type_name(const std::string& path, std::string_view type) {
  if (kind_of(type) == JsonKind::string && is_one_of(kTypes, text_of(type))) return Done{};
  return invalid_field(
      path, fmt::format("{} is not object, array, string, number, integer, boolean or null", trimmed(type)));
}

// One name, or a list of distinct names.
Status check_type(const std::string& path, std::string_view type) {
  if (kind_of(type) != JsonKind::array) return check_type_name(path, type);
  std::set<std::string> names;
  for (const std::string_view name : elements_of(type)) {
    const std::string element = fmt::format("{}[{}]", path, names.size());
    if (const Status valid = check_type_name(element, name); !valid) return valid;
    if (!names.insert(text_of(name)).second)
      return invalid_field(element, fmt::format("{} is there twice", trimmed(name)));
  }
  return names.empty() ? Status{invalid_field(path, "must name at least one type")} : Status{Done{}};
}

Status check_required_names(const std::string& path, std::string_view required) {
  bool is_valid = kind_of(required) == JsonKind::array;
  if (is_valid)
    for (const std::string_view name : elements_of(required))
      is_valid = is_valid && kind_of(name) == JsonKind::string;
  return is_valid ? Status{Done{}} : invalid_field(path, "must be a list of names");
}

Status check_node(const std::string& path, std::string_view schema);

Status check_properties(const std::string& path, std::string_view properties) {
  if (kind_of(properties) != JsonKind::object) return invalid_field(path, "must be an object");
  for (const Member& property : members_of(properties)) {
    if (const Status valid = check_node(path + "." + property.key, property.value); !valid) return valid;
  }
  return Done{};
}

Status check_keyword(const std::string& path, const std::string& keyword, std::string_view value) {
  if (keyword == "type") return check_type(path, value);
  if (keyword == "required") return check_required_names(path, value);
  if (keyword == "properties") return check_properties(path, value);
  if (keyword == "items") return check_node(path, value);
  if (keyword == "enum")
    return kind_of(value) == JsonKind::array ? Status{Done{}} : invalid_field(path, "must be a list");
  if (keyword == "minimum" || keyword == "maximum")
    return kind_of(value) == JsonKind::number ? Status{Done{}} : invalid_field(path, "must be a number");
  if (is_one_of(kAnnotations, keyword)) return Done{};
  return invalid_field(path, "is not a keyword that is checked");
}

// Recursion is bounded by JSON's own depth, kJsonDepthMax.
Status check_node(const std::string& path, std::string_view schema) {
  if (kind_of(schema) != JsonKind::object) return invalid_field(path, "must be an object");
  for (const Member& member : members_of(schema)) {
    const Status checked = check_keyword(path + "." + member.key, member.key, member.value);
    if (!checked) return checked;
  }
  return Done{};
}

// The length of the allowed values in an error message.
constexpr std::size_t kAllowedTextMax = 1'000;

using Level = Schema::Parsed;

// The allowed values as JSON, truncated if they are long: the message is sent to each caller.
std::string allowed_text(const std::vector<std::string_view>& allowed) {
  std::string text = "[";
  for (const std::string_view one : allowed) {
    if (text.size() > 1) text += ",";
    if (text.size() >= kAllowedTextMax) return fmt::format("{}… of {} values]", text, allowed.size());
    text += compacted(one);
  }
  return text + "]";
}

std::vector<std::string> texts_of(std::string_view value) {
  if (kind_of(value) == JsonKind::string) return {text_of(value)};
  std::vector<std::string> texts;
  for (const std::string_view element : elements_of(value)) texts.push_back(text_of(element));
  return texts;
}

std::unique_ptr<Level> parsed_node(std::string_view schema) {
  auto node = std::make_unique<Level>();
  for (const auto& [keyword, name, value] : members_of(schema)) {
    if (keyword == "type") node->types = texts_of(value);
    if (keyword == "required") node->required = texts_of(value);
    if (keyword == "items") node->items = parsed_node(value);
    if (keyword == "minimum") node->minimum = trimmed(value);
    if (keyword == "maximum") node->maximum = trimmed(value);
    if (keyword == "properties") {
      for (const Member& property : members_of(value))
        node->properties[property.key] = parsed_node(property.value);
    }
    if (keyword == "enum") {
      const auto allowed = elements_of(value);
      node->allowed.emplace();
      for (const std::string_view one : allowed) node->allowed->insert(canonical(one, NumberForm::by_value));
      node->allowed_text = allowed_text(allowed);
    }
  }
  return node;
}

// --- values ---

Status check_value(const Level& schema, const std::string& path, std::string_view value) {
  if (schema.allowed && !schema.allowed->contains(canonical(value, NumberForm::by_value)))
    return invalid_field(path, "must be one of " + schema.allowed_text);
  if (kind_of(value) != JsonKind::number) return Done{};
  value = trimmed(value);
  if (!schema.minimum.empty() && compare_numbers(value, schema.minimum) < 0)
    return invalid_field(path, "must be at least " + schema.minimum);
  if (!schema.maximum.empty() && compare_numbers(value, schema.maximum) > 0)
    return invalid_field(path, "must be at most " + schema.maximum);
  return Done{};
}

Status check_node(const Level& schema, const std::string& path, std::string_view value);

Status check_required(const std::vector<std::string>& required, const std::string& path,
                      const std::vector<Member>& members) {
  if (required.empty()) return Done{};
  std::set<std::string_view> keys;
  for (const Member& member : members) keys.insert(member.key);
  for (const std::string& name : required) {
    if (!keys.contains(name)) return invalid_field(path + "." + name, "is required");
  }
  return Done{};
}

// Walks the members of the value: a schema may have many more properties.
Status check_object(const Level& schema, const std::string& path, std::string_view value) {
  if (schema.required.empty() && schema.properties.empty()) return Done{};
  const auto members = members_of(value);
  if (const Status required = check_required(schema.required, path, members); !required) return required;
  // Of duplicate members the last one counts, as in other readers of JSON.
  std::map<std::string_view, std::string_view> given;
  for (const Member& member : members) {
    if (schema.properties.contains(member.key)) given.insert_or_assign(member.key, member.value);
  }
  for (const auto& [name, one] : given) {
    const auto property = schema.properties.find(name);
    if (const Status fits = check_node(*property->second, fmt::format("{}.{}", path, name), one); !fits)
      return fits;
  }
  return Done{};
}

Status check_items(const Level& schema, const std::string& path, std::string_view value) {
  if (schema.items == nullptr) return Done{};
  std::size_t i = 0;
  for (const std::string_view element : elements_of(value)) {
    const Status fits = check_node(*schema.items, fmt::format("{}[{}]", path, i++), element);
    if (!fits) return fits;
  }
  return Done{};
}

// Recursion is bounded by the depth of the schema, at most kJsonDepthMax.
Status check_node(const Level& schema, const std::string& path, std::string_view value) {
  const auto fits = [&](const std::string& type) { return is_of_type(value, type); };
  if (!schema.types.empty() && std::none_of(schema.types.begin(), schema.types.end(), fits))
    return invalid_field(path, fmt::format("must be of type {}", fmt::join(schema.types, " or ")));
  if (const Status own = check_value(schema, path, value); !own) return own;
  const JsonKind kind = kind_of(value);
  if (kind == JsonKind::object) return check_object(schema, path, value);
  if (kind == JsonKind::array) return check_items(schema, path, value);
  return Done{};
}

// The functions of PostgreSQL check with `numeric`, and must accept what a server accepts.
Status check_numbers(const std::string& field, std::string_view json) {
  if (!find_out_of_range(json)) return Done{};
  return invalid_field(
      field, fmt::format("has a number beyond the range that a declared type can check ({} digits before "
                         "the decimal point, {} after it)",
                         kWholeDigitsMax, kFractionDigitsMax));
}

}  // namespace

Status check_schema(const std::string& field, const RawJson& schema) {
  if (json_fault(schema.text)) return invalid_field(field, "is not JSON");
  if (const Status numbers = check_numbers(field, schema.text); !numbers) return numbers;
  return check_node(field, trimmed(schema.text));
}

Schema::Schema(const RawJson& text, const std::vector<std::string>& required) {
  if (text.empty() && required.empty()) return;
  auto parsed = text.empty() ? std::make_unique<Parsed>() : parsed_node(trimmed(text.text));
  parsed->fields = required;
  parsed_ = std::move(parsed);
}

Status Schema::check(const std::string& field, const RawJson& value) const {
  if (parsed_ == nullptr) return Done{};
  const std::string_view json = value.empty() ? "null" : trimmed(value.text);
  if (json_fault(json)) return invalid_field(field, "is not JSON");
  if (const Status numbers = check_numbers(field, json); !numbers) return numbers;
  if (!parsed_->fields.empty()) {
    if (kind_of(json) != JsonKind::object) return invalid_field(field, "must be of type object");
    if (const Status fields = check_required(parsed_->fields, field, members_of(json)); !fields)
      return fields;
  }
  return check_node(*parsed_, field, json);
}

}  // namespace pawl::core
