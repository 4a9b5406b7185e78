#pragma once
// Runs a user's statements on the write connection, inside its transaction.

#include "store/sql.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

class UserSql final : public Sql {
 public:
  explicit UserSql(Connection& connection) : connection_(connection) {}

 private:
  [[nodiscard]] SqlRows run_one(const std::string& statement, std::span<const SqlValue> values) override;
  [[noreturn]] void fail_with(int code);

  Connection& connection_;
};

}  // namespace pawl::store::sqlite
