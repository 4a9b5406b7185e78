#include "core/schema.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pawl::core {

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

Status check_required(const std::string& path, const Json& required) {
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
  if (keyword == "required") return check_required(path, value);
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

class SchemaChecker {
 public:
  // The first complaint about `value`, if any.
  [[nodiscard]] Status check(const Json& schema, const std::string& path, const Json& value) const {
    if (const auto type = schema.find("type"); type != schema.end()) {
      const auto name = type->get<std::string>();
      if (!is_of_type(value, name)) return invalid_field(path, fmt::format("must be of type {}", name));
    }
    if (const Status own = check_value(schema, path, value); !own) return own;
    if (value.is_object()) return check_object(schema, path, value);
    if (value.is_array()) return check_items(schema, path, value);
    return Done{};
  }

 private:
  static Status check_value(const Json& schema, const std::string& path, const Json& value) {
    if (const auto allowed = schema.find("enum"); allowed != schema.end()) {
      bool is_allowed = false;
      for (const Json& one : *allowed) is_allowed = is_allowed || one == value;
      if (!is_allowed) return invalid_field(path, "must be one of " + allowed->dump());
    }
    if (!value.is_number()) return Done{};
    if (const auto low = schema.find("minimum"); low != schema.end() && value < *low)
      return invalid_field(path, "must be at least " + low->dump());
    if (const auto high = schema.find("maximum"); high != schema.end() && value > *high)
      return invalid_field(path, "must be at most " + high->dump());
    return Done{};
  }

  [[nodiscard]] Status check_object(const Json& schema, const std::string& path, const Json& value) const {
    if (const auto required = schema.find("required"); required != schema.end()) {
      for (const Json& name : *required) {
        if (!value.contains(name.get<std::string>()))
          return invalid_field(path + "." + name.get<std::string>(), "is required");
      }
    }
    const auto properties = schema.find("properties");
    if (properties == schema.end()) return Done{};
    for (const auto& [name, property] : properties->items()) {
      const auto found = value.find(name);
      if (found == value.end()) continue;
      if (const Status checked = check(property, path + "." + name, *found); !checked) return checked;
    }
    return Done{};
  }

  [[nodiscard]] Status check_items(const Json& schema, const std::string& path, const Json& value) const {
    const auto items = schema.find("items");
    if (items == schema.end()) return Done{};
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Status checked = check(*items, fmt::format("{}[{}]", path, i), value[i]);
      if (!checked) return checked;
    }
    return Done{};
  }
};

}  // namespace

Status check_schema(const std::string& field, const RawJson& schema) {
  const Json parsed = Json::parse(schema.text, nullptr, false);
  return parsed.is_discarded() ? Status{invalid_field(field, "is not JSON")} : check_node(field, parsed);
}

Status check_against(const RawJson& schema, const std::string& field, const RawJson& value) {
  const Json parsed = Json::parse(value.empty() ? "null" : value.text, nullptr, false);
  if (parsed.is_discarded()) return invalid_field(field, "is not JSON");
  return SchemaChecker{}.check(Json::parse(schema.text), field, parsed);
}

}  // namespace pawl::core
