#pragma once
// A database failure as a value. Low layers return it instead of throwing, because a rollback in a
// destructor, a retry on a new connection and a lost reply need different handling.

#include <string>
#include <string_view>

#include "store/store.hpp"

namespace pawl::store::postgres {

struct Failure {
  StoreError::Kind kind = StoreError::Kind::internal;
  std::string sqlstate = {};
  std::string message = {};
  bool is_lost = false;  // the connection is lost, so the outcome of the sent statements is unknown

  [[noreturn]] void raise() const { throw StoreError{kind, message}; }
};

// `table` as the server names it, or empty.
[[nodiscard]] StoreError::Kind kind_of(std::string_view sqlstate, std::string_view table);

// A pooler routed us to a server process that lacks our prepared statement, or already has it.
[[nodiscard]] bool is_pooler_trouble(std::string_view sqlstate);

// The session is unusable, although the socket may still be open.
[[nodiscard]] bool ends_session(std::string_view sqlstate);

}  // namespace pawl::store::postgres
