#pragma once
// SQL statements inside a transactional step. They run in the database that the client is connected to, in
// the transaction that also stores the step's result.
//
//   wf.transaction("debit", [&](pawl::Sql& sql) {
//     sql.exec("update accounts set balance = balance - $1 where id = $2", 100, "alice");
//     return sql.value<int>("select balance from accounts where id = $1", "alice");
//   });
//
// Parameters are $1, $2 and so on, on every database. A statement that fails throws pawl::Error{"sql"} and
// rolls the transaction back. Use it only inside the step's function, on one thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <pawl/json.hpp>

namespace pawl {

namespace detail {

class SqlState;

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

// Converts a parameter to JSON; an empty optional becomes null.
template <typename T>
Json sql_value(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? sql_value(*value) : Json(nullptr);
  } else {
    return Json(value);
  }
}

}  // namespace detail

// The database connection of a transactional step.
class Sql {
 public:
  explicit Sql(detail::SqlState& state) : state_(state) {}
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;
  ~Sql() = default;

  // Runs a statement and returns the number of rows that it changed. Booleans, numbers and strings are bound
  // as such, an empty optional as null, and any other value as its JSON text.
  template <typename... Values>
  std::int64_t exec(std::string_view statement, const Values&... values) {
    return run(statement, values...).at("changed").template get<std::int64_t>();
  }
  // Returns the rows as an array of objects with the column names as members.
  template <typename... Values>
  [[nodiscard]] Json query(std::string_view statement, const Values&... values) {
    const Json given = run(statement, values...);
    Json rows = Json::array();
    for (const Json& row : given.at("rows")) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i)
        object[given.at("columns").at(i).template get<std::string>()] = row.at(i);
      rows.push_back(std::move(object));
    }
    return rows;
  }
  // Like query(), but decodes each row to a T (T's from_json).
  template <typename T, typename... Values>
  [[nodiscard]] std::vector<T> query_as(std::string_view statement, const Values&... values) {
    return detail::decode<std::vector<T>>(query(statement, values...).dump());
  }
  // Returns the first column of the first row. Throws Error{"not_found"} if the statement returned no row.
  template <typename T, typename... Values>
  [[nodiscard]] T value(std::string_view statement, const Values&... values) {
    const Json rows = run(statement, values...).at("rows");
    if (rows.empty() || rows.front().empty()) throw Error{"not_found", "the statement gave no row"};
    return detail::decode<T>(rows.front().front().dump());
  }

 private:
  template <typename... Values>
  Json run(std::string_view statement, const Values&... values) {
    Json list = Json::array();
    (list.push_back(detail::sql_value(values)), ...);
    return detail::decode<Json>(run_text(statement, list.dump()));
  }
  // `values` is a JSON array. Returns {"columns": […], "rows": [[…], …], "changed": …}.
  [[nodiscard]] std::string run_text(std::string_view statement, const std::string& values);

  detail::SqlState& state_;
};

}  // namespace pawl
