#pragma once
// Hides passwords in output, because screen contents end up in tickets and logs. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace pawl::cli {

// Hides the passwords of all store addresses in a text: "…://user:***@host/…", "password=***".
[[nodiscard]] std::string without_passwords(std::string_view text);
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;  // excluded
};
// Finds the password in such an address.
[[nodiscard]] std::optional<Span> password_span(std::string_view address);
// The password in such an address; empty if it has none.
[[nodiscard]] std::string password_in(std::string_view address);
// Hides `secret` where it is in double quotes: libpq quotes the part of an address that it rejects.
[[nodiscard]] std::string without_quoted(std::string text, std::string_view secret);

}  // namespace pawl::cli
