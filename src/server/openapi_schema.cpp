#include "server/openapi_schema.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/ensure.hpp"
#include "wire/shapes.hpp"

namespace pawl::server {

namespace {

using wire::Field;
using wire::Shape;
using wire::Writer;

constexpr std::string_view kPageSuffix = "Page";

struct BasicType {
  std::string_view name;
  std::string_view type;
  std::string_view rest;  // remainder of its schema
};
constexpr std::array kBasicTypes{
    BasicType{"string", "string", ""},
    BasicType{"integer", "integer", ""},
    BasicType{"number", "number", ""},
    BasicType{"boolean", "boolean", ""},
    BasicType{"duration", "string", R"(,"pattern":"^[0-9.]+(ms|s|m|h|d)$","examples":["30s"])"},
    BasicType{"time", "string", R"(,"format":"date-time")"},
    BasicType{"uuid", "string", R"(,"format":"uuid")"},
};

std::string with_about(std::string schema, std::string_view about) {
  if (about.empty()) return schema;
  const std::string described = "\"description\":" + core::json_quote(about);
  schema.insert(schema.size() - 1, (schema.size() > 2 ? "," : "") + described);
  return schema;
}

std::string schema_text(std::string_view type);

std::string basic_schema(const BasicType& basic, bool may_be_null) {
  const std::string type =
      may_be_null ? fmt::format(R"(["{}","null"])", basic.type) : fmt::format(R"("{}")", basic.type);
  return fmt::format(R"({{"type":{}{}}})", type, basic.rest);
}

std::string or_null(std::string_view type) {
  for (const BasicType& basic : kBasicTypes) {
    if (basic.name == type) return basic_schema(basic, true);
  }
  return fmt::format(R"({{"anyOf":[{},{{"type":"null"}}]}})", schema_text(type));
}

std::string_view inner(std::string_view type) { return type.substr(1, type.size() - 2); }

// Recurses as deep as the type is nested.
std::string schema_text(std::string_view type) {
  for (const wire::TypeAlias& alias : wire::kTypeAliases) {
    if (alias.name == type) return schema_text(alias.type);
  }
  if (type == "json") return "{}";
  if (type.ends_with('?')) return or_null(type.substr(0, type.size() - 1));
  if (type.starts_with('[')) return fmt::format(R"({{"type":"array","items":{}}})", schema_text(inner(type)));
  if (type.starts_with('{'))
    return fmt::format(R"({{"type":"object","additionalProperties":{}}})", schema_text(inner(type)));
  for (const BasicType& basic : kBasicTypes) {
    if (basic.name == type) return basic_schema(basic, false);
  }
  return fmt::format(R"({{"$ref":"#/components/schemas/{}"}})", type);
}

struct Object {
  std::vector<Field> fields = {};
  bool is_request = false;
};

void write_object(Writer& out, const Object& object) {
  out.begin_object().field("type", "object");
  const bool has_required = std::any_of(object.fields.begin(), object.fields.end(),
                                        [](const Field& field) { return field.is_required; });
  if (has_required) {
    out.key("required").begin_array();
    for (const Field& field : object.fields) {
      if (field.is_required) out.value(field.name);
    }
    out.end_array();
  }
  out.key("properties").begin_object();
  for (const Field& field : object.fields) out.field(field.name, schema_of(field.type, field.about));
  out.end_object();
  if (object.is_request) out.field("additionalProperties", false);
  out.end_object();
}

// The fields of a shape and of its bases; a request may be a base too.
class Fields {
 public:
  explicit Fields(const std::vector<wire::Operation>& operations)
      : shapes_(wire::shapes()), operations_(operations) {}

  [[nodiscard]] const std::vector<Shape>& shapes() const { return shapes_; }

  [[nodiscard]] std::vector<Field> of(const Shape& shape) const {
    std::vector<Field> fields = shape.base.empty() ? std::vector<Field>{} : of(shape.base);
    fields.insert(fields.end(), shape.fields.begin(), shape.fields.end());
    return fields;
  }

 private:
  [[nodiscard]] std::vector<Field> of(std::string_view name) const {
    for (const Shape& shape : shapes_) {
      if (shape.name == name) return of(shape);
    }
    for (const wire::Operation& operation : operations_) {
      if (request_name(operation) == name) return {operation.body.begin(), operation.body.end()};
    }
    PAWL_ENSURE(false, "the base of a shape is a shape or the body of a call");
    return {};
  }

  std::vector<Shape> shapes_;
  const std::vector<wire::Operation>& operations_;
};

void write_enums(Writer& out) {
  for (const wire::EnumShape& one : wire::enum_shapes()) {
    out.key(one.name).begin_object().field("type", "string").key("enum").begin_array();
    for (const std::string_view value : one.values()) out.value(value);
    out.end_array().end_object();
  }
}

void write_page(Writer& out, std::string_view name) {
  const std::string items = fmt::format("[{}]", name.substr(0, name.size() - kPageSuffix.size()));
  out.key(name);
  write_object(out,
               {.fields = {wire::has("items", items),
                           wire::has("next_cursor", "string?", "of the next page; null: it was the last")}});
}

void write_pages(Writer& out, const std::vector<wire::Operation>& operations) {
  std::vector<std::string_view> written;
  for (const wire::Operation& operation : operations) {
    for (const wire::Success& success : operation.successes) {
      const bool is_new = std::find(written.begin(), written.end(), success.type) == written.end();
      if (!success.type.ends_with(kPageSuffix) || !is_new) continue;
      written.push_back(success.type);
      write_page(out, success.type);
    }
  }
}

}  // namespace

std::string request_name(const wire::Operation& operation) {
  std::string name{operation.id};
  name.front() = static_cast<char>(name.front() & ~0x20);
  return name + "Request";
}

core::RawJson schema_of(std::string_view type, std::string_view about) {
  return {with_about(schema_text(type), about)};
}

void write_schemas(Writer& out, const std::vector<wire::Operation>& operations) {
  const Fields fields{operations};
  out.key("schemas").begin_object();
  write_enums(out);
  for (const Shape& shape : fields.shapes()) {
    out.key(shape.name);
    write_object(out, {.fields = fields.of(shape), .is_request = shape.is_request});
  }
  write_pages(out, operations);
  for (const wire::Operation& operation : operations) {
    if (operation.body.empty()) continue;
    out.key(request_name(operation));
    write_object(out, {.fields = {operation.body.begin(), operation.body.end()}, .is_request = true});
  }
  out.end_object();
}

}  // namespace pawl::server
