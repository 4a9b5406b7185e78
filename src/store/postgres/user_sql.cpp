#include "store/postgres/user_sql.hpp"

#include <charconv>

#include <fmt/format.h>

namespace pawl::store::postgres {

namespace {

// Object ids of the types that are not read as text, as permanently assigned in pg_type.dat.
constexpr std::uint32_t kBool = 16;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kInt2 = 21;
constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kFloat4 = 700;
constexpr std::uint32_t kFloat8 = 701;
constexpr std::uint32_t kNumeric = 1700;

// The time limit for a user's statement, whose cost is unknown.
constexpr core::Duration kStatementMax = std::chrono::minutes{10};

// The server's code for too many or too few values.
constexpr std::string_view kProtocolViolation = "08P01";

// As text, which the server converts to the parameter's type.
std::optional<std::string> text_of(const SqlValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::nullopt;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The sum of integers is a numeric, but is returned as an integer if it fits.
SqlValue value_of(const Rows& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::monostate{};
  const std::string_view text = rows.text(row, column);
  const std::uint32_t type = rows.type(column);
  if (type == kBool) return text == "t";
  const bool is_integer = type == kInt2 || type == kInt4 || type == kInt8 || type == kNumeric;
  if (is_integer) {
    if (const auto number = number_of<std::int64_t>(text)) return *number;
  }
  if (type == kFloat4 || type == kFloat8 || type == kNumeric) {
    if (const auto number = number_of<double>(text)) return *number;
  }
  return std::string{text};
}

}  // namespace

SqlRows UserSql::run_one(const std::string& statement, std::span<const SqlValue> values) {
  std::vector<std::optional<std::string>> texts;
  for (const SqlValue& value : values) texts.push_back(text_of(value));
  connection_.send_text(statement, texts);
  std::vector<Rows> answers;
  if (const auto failure = connection_.run(answers, kStatementMax)) {
    // A user's table may have the name of one of ours, so the table is ignored.
    const StoreError::Kind kind = failure->is_lost ? failure->kind : kind_of(failure->sqlstate, "");
    const bool is_theirs = failure->sqlstate == kProtocolViolation;
    const bool is_passing =
        !is_theirs && (kind == StoreError::Kind::retry || kind == StoreError::Kind::unavailable);
    if (is_passing) fail(std::make_exception_ptr(StoreError{kind, failure->message}), true);
    fail(std::make_exception_ptr(SqlError{failure->message}));
  }
  if (!connection_.is_in_transaction()) {
    connection_.drop();
    fail(std::make_exception_ptr(SqlError{"the statement ended the transaction of the step"}));
  }
  const Rows& answer = answers.front();
  SqlRows rows{.changed = answer.changed()};
  for (int column = 0; column < answer.columns(); ++column) rows.columns.emplace_back(answer.name(column));
  for (int row = 0; row < answer.count(); ++row) {
    auto& values_of_row = rows.rows.emplace_back();
    for (int column = 0; column < answer.columns(); ++column)
      values_of_row.push_back(value_of(answer, row, column));
  }
  return rows;
}

}  // namespace pawl::store::postgres
