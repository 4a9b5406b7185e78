#include "core/json/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace pawl::core {

namespace {

constexpr std::size_t kMistakesMax = 20;  // more would not help the caller
constexpr std::size_t kFewFields = 32;

}  // namespace

void Mistakes::add(std::string field, std::string message) {
  if (errors_.size() < kMistakesMax)
    errors_.push_back({.field = std::move(field), .message = std::move(message)});
}

Problem Mistakes::problem() const {
  const FieldError& first = errors_.front();
  return {.code = ProblemCode::invalid_argument,
          .detail = first.field.empty() ? first.message : first.field + " " + first.message,
          .errors = errors_};
}

ObjectReader::ObjectReader(std::string_view object, std::string path, Mistakes& mistakes)
    : path_(std::move(path)), mistakes_(mistakes) {
  if (kind_of(object) != JsonKind::object) {
    mistakes_.add(path_, fmt::format("must be an object, not {}", name_of(kind_of(object))));
    return;
  }
  std::vector<Member> members = members_of(object);
  fields_.reserve(members.size());
  for (Member& member : members) fields_.push_back({.member = std::move(member)});
  const bool are_many = fields_.size() > kFewFields;
  std::set<std::string_view> seen;  // for few fields, comparing with each earlier one is faster
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    field->is_read = are_many ? !seen.insert(field->member.key).second
                              : std::any_of(fields_.begin(), field, [&](const Field& before) {
                                  return before.member.key == field->member.key;
                                });
    if (field->is_read) mistake(field->member.key, "is given twice");
  }
}

std::string ObjectReader::path_of(std::string_view name) const {
  return path_.empty() ? std::string{name} : fmt::format("{}.{}", path_, name);
}

void ObjectReader::mistake(std::string_view name, std::string message) {
  mistakes_.add(path_of(name), std::move(message));
}

bool ObjectReader::has(std::string_view name) {
  const auto field =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field& one) { return one.member.key == name; });
  if (field == fields_.end()) return false;
  field->is_read = true;
  return true;
}

bool ObjectReader::is_null(std::string_view name) { return has(name) && !find(name); }

std::optional<std::string_view> ObjectReader::find(std::string_view name) {
  const auto field =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field& one) { return one.member.key == name; });
  if (field == fields_.end()) return std::nullopt;
  field->is_read = true;
  if (kind_of(field->member.value) == JsonKind::null) return std::nullopt;
  return field->member.value;
}

std::optional<std::string_view> ObjectReader::find(std::string_view name, JsonKind kind) {
  const auto value = find(name);
  if (!value || kind_of(*value) == kind) return value;
  mistake(name, fmt::format("must be {}, not {}", name_of(kind), name_of(kind_of(*value))));
  return std::nullopt;
}

std::string ObjectReader::text(std::string_view name) {
  if (!find(name)) mistake(name, "is required");
  return optional_text(name).value_or("");
}

std::int64_t ObjectReader::integer(std::string_view name) {
  if (!find(name)) mistake(name, "is required");
  return optional_integer(name).value_or(0);
}

RawJson ObjectReader::json(std::string_view name) {
  const auto value = find(name);
  return value ? RawJson{std::string{*value}} : RawJson{};
}

RawJson ObjectReader::json_or_null(std::string_view name) {
  return is_null(name) ? RawJson{"null"} : json(name);
}

std::optional<std::string> ObjectReader::optional_text(std::string_view name) {
  const auto value = find(name, JsonKind::string);
  return value ? std::optional{text_of(*value)} : std::nullopt;
}

std::optional<std::int64_t> ObjectReader::optional_integer(std::string_view name) {
  const auto value = find(name, JsonKind::number);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error == std::errc{} && end == value->data() + value->size()) return number;
  mistake(name, "must be a whole number of at most 64 bits");
  return std::nullopt;
}

std::optional<double> ObjectReader::optional_number(std::string_view name) {
  const auto value = find(name, JsonKind::number);
  if (!value) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error == std::errc{}) return number;
  mistake(name, "is out of range");
  return std::nullopt;
}

std::optional<bool> ObjectReader::optional_boolean(std::string_view name) {
  const auto value = find(name, JsonKind::boolean);
  return value ? std::optional{*value == "true"} : std::nullopt;
}

std::optional<Duration> ObjectReader::optional_duration(std::string_view name) {
  const auto value = optional_text(name);
  if (!value) return std::nullopt;
  const auto duration = parse_duration(*value);
  if (!duration) mistake(name, R"(must be a duration such as "1500ms", "30s" or "7d")");
  return duration;
}

std::optional<TimePoint> ObjectReader::optional_time(std::string_view name) {
  const auto value = optional_text(name);
  if (!value) return std::nullopt;
  const auto time = parse_time(*value);
  if (!time) mistake(name, R"(must be a time such as "2026-01-29T10:00:00Z")");
  return time;
}

std::optional<Uuid> ObjectReader::optional_uuid(std::string_view name) {
  const auto value = optional_text(name);
  if (!value) return std::nullopt;
  const auto id = parse_uuid(*value);
  if (!id) mistake(name, "must be a UUID");
  return id;
}

std::optional<std::vector<std::string>> ObjectReader::optional_texts(std::string_view name) {
  const auto value = find(name, JsonKind::array);
  if (!value) return std::nullopt;
  std::vector<std::string> texts;
  for (const std::string_view element : elements_of(*value)) {
    if (kind_of(element) == JsonKind::string) {
      texts.push_back(text_of(element));
    } else {
      mistake(fmt::format("{}[{}]", name, texts.size()),
              fmt::format("must be a string, not {}", name_of(kind_of(element))));
      return std::nullopt;
    }
  }
  return texts;
}

std::optional<std::map<std::string, std::string>> ObjectReader::optional_text_map(std::string_view name) {
  const auto value = find(name, JsonKind::object);
  if (!value) return std::nullopt;
  std::map<std::string, std::string> texts;
  ObjectReader inner{*value, path_of(name), mistakes_};
  for (const Field& field : inner.fields_) {
    const std::string key = field.member.key;
    texts[key] = inner.text(key);
  }
  return texts;
}

void ObjectReader::optional_integers(std::string_view name, std::map<std::string, std::int64_t>& into) {
  const auto value = find(name, JsonKind::object);
  if (!value) return;
  ObjectReader inner{*value, path_of(name), mistakes_};
  for (const Field& field : inner.fields_) {
    const std::string key = field.member.key;
    into[key] = inner.integer(key);
  }
}

void ObjectReader::optional_object(std::string_view name, const std::function<void(ObjectReader&)>& read) {
  optional_object_leniently(name, [&read](ObjectReader& inner) {
    read(inner);
    inner.finish();
  });
}

void ObjectReader::optional_object_leniently(std::string_view name,
                                             const std::function<void(ObjectReader&)>& read) {
  const auto value = find(name, JsonKind::object);
  if (!value) return;
  ObjectReader inner{*value, path_of(name), mistakes_};
  read(inner);
}

std::vector<std::string_view> ObjectReader::elements(std::string_view name) {
  if (!find(name)) mistake(name, "is required");
  const auto value = find(name, JsonKind::array);
  return value ? elements_of(*value) : std::vector<std::string_view>{};
}

void ObjectReader::objects(std::string_view name, const std::function<void(ObjectReader&)>& read) {
  objects_leniently(name, [&read](ObjectReader& inner) {
    read(inner);
    inner.finish();
  });
}

void ObjectReader::objects_leniently(std::string_view name, const std::function<void(ObjectReader&)>& read) {
  std::size_t index = 0;
  for (const std::string_view element : elements(name)) {
    ObjectReader inner{element, fmt::format("{}[{}]", path_of(name), index++), mistakes_};
    read(inner);
  }
}

void ObjectReader::finish() {
  for (const Field& field : fields_) {
    if (!field.is_read) mistake(field.member.key, "is not a known field");
  }
}

}  // namespace pawl::core
