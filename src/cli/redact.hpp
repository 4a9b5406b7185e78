#pragma once
// What is shown on a screen ends up in tickets and logs: passwords must not. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace pawl::cli {

// Of the addresses of stores that a text holds: "…://user:***@host/…", "password=***".
[[nodiscard]] std::string without_passwords(std::string_view text);
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;  // excluded
};
// Where the password of such an address is.
[[nodiscard]] std::optional<Span> password_span(std::string_view address);
// The password of one such address; empty if it has none.
[[nodiscard]] std::string password_in(std::string_view address);
// Without `secret` where it stands in double quotes: libpq says so which part of an address it cannot use.
[[nodiscard]] std::string without_quoted(std::string text, std::string_view secret);

}  // namespace pawl::cli
