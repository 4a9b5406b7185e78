#pragma once
// What a transactional step of a workflow is given: statements on the database that the client is connected
// to, in the transaction that also keeps the step's result.
//
//   wf.transaction("debit", [&](pawl::Sql& sql) {
//     sql.exec("update accounts set balance = balance - $1 where id = $2", 100, "alice");
//     return sql.value<int>("select balance from accounts where id = $1", "alice");
//   });
//
// Parameters are $1, $2 and so on, on every database. A statement that fails throws pawl::Error{"sql"} and
// ends the transaction: nothing of it is kept. One thread at a time, and only inside the step.

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

// An empty optional is null.
template <typename T>
Json sql_value(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? sql_value(*value) : Json(nullptr);
  } else {
    return Json(value);
  }
}

}  // namespace detail

class Sql {
 public:
  explicit Sql(detail::SqlState& state) : state_(state) {}
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;
  ~Sql() = default;

  // Values are null, a truth, a number or a text; anything else is bound as its JSON text. How many rows it
  // changed.
  template <typename... Values>
  std::int64_t exec(std::string_view statement, const Values&... values) {
    return run(statement, values...).at("changed").template get<std::int64_t>();
  }
  // The rows, an object each, by the names of the columns.
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
  // The same as values of T, by T's own from_json.
  template <typename T, typename... Values>
  [[nodiscard]] std::vector<T> query_as(std::string_view statement, const Values&... values) {
    return detail::decode<std::vector<T>>(query(statement, values...).dump());
  }
  // The first column of the only row; throws Error{"not_found"} where there is none.
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
  // An array of values; {"columns": […], "rows": [[…], …], "changed": …}.
  [[nodiscard]] std::string run_text(std::string_view statement, const std::string& values);

  detail::SqlState& state_;
};

}  // namespace pawl
