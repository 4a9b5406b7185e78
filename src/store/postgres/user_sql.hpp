#pragma once
// Runs a user's statements on a connection that has begun a transaction.

#include "store/postgres/connection.hpp"
#include "store/sql.hpp"

namespace pawl::store::postgres {

class UserSql final : public Sql {
 public:
  explicit UserSql(Connection& connection) : connection_(connection) {}

 private:
  [[nodiscard]] SqlRows run_one(const std::string& statement, std::span<const SqlValue> values) override;

  Connection& connection_;
};

}  // namespace pawl::store::postgres
