#pragma once
// What went wrong at the database, as a value: low layers hand it up, because a rollback in a destructor, a
// second try on a new connection and a lost reply each want something else than an exception.

#include <string>
#include <string_view>

#include "store/store.hpp"

namespace pawl::store::postgres {

struct Failure {
  StoreError::Kind kind = StoreError::Kind::internal;
  std::string sqlstate = {};
  std::string message = {};
  bool is_lost = false;  // the connection is gone, and with it the outcome of what was sent

  [[noreturn]] void raise() const { throw StoreError{kind, message}; }
};

// `table` as the server names it, where it does.
[[nodiscard]] StoreError::Kind kind_of(std::string_view sqlstate, std::string_view table);

// A pooler gave us a server process that does not know, or already knows, our prepared statement.
[[nodiscard]] bool is_pooler_trouble(std::string_view sqlstate);

// The session is of no use any more, though the socket may still be open.
[[nodiscard]] bool ends_session(std::string_view sqlstate);

}  // namespace pawl::store::postgres
