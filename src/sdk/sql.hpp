#pragma once
// The state behind a pawl::Sql: the statements of one attempt at a transactional step.

#include <string>
#include <string_view>

#include "pawl/sql.hpp"
#include "store/sql.hpp"

namespace pawl::detail {

class SqlState {
 public:
  explicit SqlState(store::Sql& sql) : sql_(sql) {}

  // Throws Error if the database rejects the statement, and StoreError for a failure that the statement did
  // not cause.
  [[nodiscard]] std::string run(std::string_view statement, const std::string& values);

 private:
  store::Sql& sql_;
};

}  // namespace pawl::detail
