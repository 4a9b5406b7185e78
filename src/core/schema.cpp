#include "core/schema.hpp"

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pawl::core {

// One level of it.
struct Schema::Parsed {
  std::optional<std::string> type = {};
  std::vector<std::string> required = {};
  std::map<std::string, std::unique_ptr<Parsed>> properties = {};
  std::unique_ptr<Parsed> items = {};
  std::optional<std::set<nlohmann::json>> allowed = {};  // by the enum
  std::string allowed_text = {};
  std::optional<nlohmann::json> minimum = {};
  std::optional<nlohmann::json> maximum = {};
  std::vector<std::string> fields = {};  // that it must have, and then be an object; of the first level alone
};

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 7> kTypes{"object",  "array",   "string", "number",
                                                 "integer", "boolean", "null"};

bool is_type(const std::string& name) {
  for (const std::string_view type : kTypes) {
    if (type == name) return true;
  }
  return false;
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  // 1.0 is an integer: JSON knows no difference.
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
}

Status check_type(const std::string& path, const Json& type) {
  if (type.is_string() && is_type(type.get<std::string>())) return Done{};
  return invalid_field(path, "must be object, array, string, number, integer, boolean or null");
}

Status check_required_names(const std::string& path, const Json& required) {
  bool is_valid = required.is_array();
  for (const Json& name : required) is_valid = is_valid && name.is_string();
  return is_valid ? Status{Done{}} : invalid_field(path, "must be a list of names");
}

Status check_node(const std::string& path, const Json& schema);

Status check_properties(const std::string& path, const Json& properties) {
  if (!properties.is_object()) return invalid_field(path, "must be an object");
  for (const auto& [name, schema] : properties.items()) {
    if (const Status property = check_node(path + "." + name, schema); !property) return property;
  }
  return Done{};
}

Status check_keyword(const std::string& path, const std::string& keyword, const Json& value) {
  if (keyword == "type") return check_type(path, value);
  if (keyword == "required") return check_required_names(path, value);
  if (keyword == "properties") return check_properties(path, value);
  if (keyword == "items") return check_node(path, value);
  if (keyword == "enum") return value.is_array() ? Status{Done{}} : invalid_field(path, "must be a list");
  if (keyword == "minimum" || keyword == "maximum")
    return value.is_number() ? Status{Done{}} : invalid_field(path, "must be a number");
  return invalid_field(path, "is not a keyword that is checked");
}

// As deep as JSON may be, which is kJsonDepthMax.
Status check_node(const std::string& path, const Json& schema) {
  if (!schema.is_object()) return invalid_field(path, "must be an object");
  for (const auto& [keyword, value] : schema.items()) {
    if (const Status checked = check_keyword(path + "." + keyword, keyword, value); !checked) return checked;
  }
  return Done{};
}

// Of what a value must be, one of which is named in a complaint.
constexpr std::size_t kAllowedTextMax = 1'000;

using Level = Schema::Parsed;

// As JSON, or its beginning where it is long: a complaint goes back to each caller.
std::string allowed_text(const Json& allowed) {
  std::string text = "[";
  for (const Json& one : allowed) {
    if (text.size() > 1) text += ",";
    if (text.size() >= kAllowedTextMax) return fmt::format("{}… of {} values]", text, allowed.size());
    text += one.dump();
  }
  return text + "]";
}

std::unique_ptr<Level> parsed_node(const Json& schema) {
  auto node = std::make_unique<Level>();
  for (const auto& [keyword, value] : schema.items()) {
    if (keyword == "type") node->type = value.get<std::string>();
    if (keyword == "required") node->required = value.get<std::vector<std::string>>();
    if (keyword == "items") node->items = parsed_node(value);
    if (keyword == "minimum") node->minimum = value;
    if (keyword == "maximum") node->maximum = value;
    if (keyword == "properties") {
      for (const auto& [name, property] : value.items()) node->properties[name] = parsed_node(property);
    }
    if (keyword == "enum") {
      node->allowed.emplace(value.begin(), value.end());
      node->allowed_text = allowed_text(value);
    }
  }
  return node;
}

Status check_value(const Level& schema, const std::string& path, const Json& value) {
  if (schema.allowed && !schema.allowed->contains(value))
    return invalid_field(path, "must be one of " + schema.allowed_text);
  if (!value.is_number()) return Done{};
  if (schema.minimum && value < *schema.minimum)
    return invalid_field(path, "must be at least " + schema.minimum->dump());
  if (schema.maximum && value > *schema.maximum)
    return invalid_field(path, "must be at most " + schema.maximum->dump());
  return Done{};
}

Status check_node(const Level& schema, const std::string& path, const Json& value);

Status check_required(const std::vector<std::string>& required, const std::string& path, const Json& value) {
  for (const std::string& name : required) {
    if (!value.contains(name)) return invalid_field(path + "." + name, "is required");
  }
  return Done{};
}

// By the members that there are: a schema may have many more properties.
Status check_object(const Level& schema, const std::string& path, const Json& value) {
  if (const Status required = check_required(schema.required, path, value); !required) return required;
  if (schema.properties.empty()) return Done{};
  for (const auto& [name, member] : value.items()) {
    const auto property = schema.properties.find(name);
    if (property == schema.properties.end()) continue;
    if (const Status fits = check_node(*property->second, path + "." + name, member); !fits) return fits;
  }
  return Done{};
}

Status check_items(const Level& schema, const std::string& path, const Json& value) {
  if (schema.items == nullptr) return Done{};
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Status fits = check_node(*schema.items, fmt::format("{}[{}]", path, i), value[i]);
    if (!fits) return fits;
  }
  return Done{};
}

// As deep as the schema, which is kJsonDepthMax.
Status check_node(const Level& schema, const std::string& path, const Json& value) {
  if (schema.type && !is_of_type(value, *schema.type))
    return invalid_field(path, fmt::format("must be of type {}", *schema.type));
  if (const Status own = check_value(schema, path, value); !own) return own;
  if (value.is_object()) return check_object(schema, path, value);
  if (value.is_array()) return check_items(schema, path, value);
  return Done{};
}

}  // namespace

Status check_schema(const std::string& field, const RawJson& schema) {
  const Json parsed = Json::parse(schema.text, nullptr, false);
  return parsed.is_discarded() ? Status{invalid_field(field, "is not JSON")} : check_node(field, parsed);
}

Schema::Schema(const RawJson& text, const std::vector<std::string>& required) {
  if (text.empty() && required.empty()) return;
  auto parsed = text.empty() ? std::make_unique<Parsed>() : parsed_node(Json::parse(text.text));
  parsed->fields = required;
  parsed_ = std::move(parsed);
}

Status Schema::check(const std::string& field, const RawJson& value) const {
  if (parsed_ == nullptr) return Done{};
  const Json json = Json::parse(value.empty() ? "null" : value.text, nullptr, false);
  if (json.is_discarded()) return invalid_field(field, "is not JSON");
  if (!parsed_->fields.empty()) {
    if (!json.is_object()) return invalid_field(field, "must be of type object");
    if (const Status fields = check_required(parsed_->fields, field, json); !fields) return fields;
  }
  return check_node(*parsed_, field, json);
}

}  // namespace pawl::core
