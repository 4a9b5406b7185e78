#pragma once
// What stands behind a pawl::Sql: the statements of one try at a transactional step.

#include <string>
#include <string_view>

#include "pawl/sql.hpp"
#include "store/sql.hpp"

namespace pawl::detail {

class SqlState {
 public:
  explicit SqlState(store::Sql& sql) : sql_(sql) {}

  // Throws Error where the database refuses it, and StoreError where it is not the statement's fault.
  [[nodiscard]] std::string run(std::string_view statement, const std::string& values);

 private:
  store::Sql& sql_;
};

}  // namespace pawl::detail
