#include "store/sql.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace pawl::store {

namespace {

constexpr std::array<std::string_view, 9> kWords{"begin",     "start", "commit",  "end",    "rollback",
                                                 "savepoint", "abort", "release", "prepare"};

// Skips whitespace, semicolons and comments.
std::string_view from_first_word(std::string_view text) {
  while (!text.empty()) {
    if (text.starts_with("--")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const auto end = text.find("*/");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else if (std::isspace(static_cast<unsigned char>(text.front())) != 0 || text.front() == ';') {
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  return text;
}

}  // namespace

bool is_about_transactions(std::string_view statement) {
  std::string word;
  for (const char c : from_first_word(statement)) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

SqlRows Sql::run(const std::string& statement, std::span<const SqlValue> values) {
  if (failure_) std::rethrow_exception(failure_);
  if (is_about_transactions(statement)) {
    fail(std::make_exception_ptr(
        SqlError{"the step already runs in a transaction: '" + statement + "' must not begin or end one"}));
  }
  return run_one(statement, values);
}

}  // namespace pawl::store
