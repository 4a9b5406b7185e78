#include "sdk/sql.hpp"

#include <cstdint>
#include <vector>

#include "sdk/convert.hpp"

namespace pawl {

std::string Sql::run_text(std::string_view statement, const std::string& values) {
  return state_.run(statement, values);
}

namespace detail {

namespace {

store::SqlValue value_from(const Json& json) {
  if (json.is_null()) return std::monostate{};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return json.dump();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return json.dump();
}

Json json_of(const store::SqlValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

}  // namespace

std::string SqlState::run(std::string_view statement, const std::string& values) {
  std::vector<store::SqlValue> bound;
  for (const Json& value : decode<Json>(values)) bound.push_back(value_from(value));
  const store::SqlRows rows = from_database([&] { return sql_.run(std::string{statement}, bound); });
  Json list = Json::array();
  for (const auto& row : rows.rows) {
    Json values_of_row = Json::array();
    for (const store::SqlValue& value : row) values_of_row.push_back(json_of(value));
    list.push_back(std::move(values_of_row));
  }
  return encode(Json{{"columns", rows.columns}, {"rows", std::move(list)}, {"changed", rows.changed}});
}

}  // namespace detail
}  // namespace pawl
