#pragma once
// Tokens: pawl_<role letter>_<id>_<secret>_<crc32>. The prefix is for secret scanners, the id is public and
// names the record, the checksum finds typing errors without a look-up. Only a hash of the secret is ever
// stored.
//
// Pure: secrets are drawn and hashed at the edge, by whoever has a source of randomness fit for them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record.hpp"

namespace pawl::core {

inline constexpr std::size_t kTokenIdLength = 12;
inline constexpr std::size_t kTokenSecretLengthMin = 43;  // 256 bits in base62

// Each may do what those before it may.
enum class Role : std::uint8_t {
  viewer,
  worker,
  supervisor,
  admin
};  // supervisor: "operator", a word of C++
inline constexpr int kRoleCount = 4;
[[nodiscard]] std::string_view to_string(Role role);
[[nodiscard]] std::optional<Role> role_from(std::string_view name);

struct Token {
  std::string id = {};
  Role role = Role::viewer;
  std::vector<std::string> namespaces = {};  // "*": all
  std::vector<std::string> queues = {};      // of a worker; none: all
  std::string name = {};
  TimePoint created_at = {};
  std::optional<TimePoint> expires_at = {};
  std::optional<TimePoint> revoked_at = {};
  std::string secret_hash = {};  // SHA-256 of the secret, as the edge spells it

  bool operator==(const Token&) const = default;
};

struct CreateToken {
  std::string id = {};           // drawn by the edge
  std::string secret_hash = {};  // of what the edge drew and shows once
  Role role = Role::viewer;
  std::vector<std::string> namespaces = {};
  std::vector<std::string> queues = {};
  std::string name = {};
  std::optional<TimePoint> expires_at = {};
  Actor by = {};
};
struct RevokeToken {
  std::string id = {};
  Actor by = {};
};

struct TokenText {
  Role role = Role::viewer;
  std::string id = {};
  std::string secret = {};

  bool operator==(const TokenText&) const = default;
};
[[nodiscard]] std::string format_token(const TokenText& token);
// Nothing for what no server gave: a wrong form or checksum.
[[nodiscard]] std::optional<TokenText> parse_token(std::string_view text);
// CRC-32 as in zip and PNG.
[[nodiscard]] std::uint32_t crc32(std::string_view text);
// Digits, capitals, small letters; for ids and secrets. One byte of chance makes one character, so those that
// would favour some characters are skipped: draw half as many again as are needed.
[[nodiscard]] std::string base62(std::string_view random_bytes, std::size_t length);

// Takes as long for any two texts of the same length.
[[nodiscard]] bool equals_in_constant_time(std::string_view a, std::string_view b);
// `token`: what was found by the id, if anything. One answer, whatever is wrong.
[[nodiscard]] Status authenticate(const std::optional<Token>& token, std::string_view secret_hash,
                                  TimePoint now);
[[nodiscard]] bool allows_namespace(const Token& token, const std::string& ns);
[[nodiscard]] bool allows_queue(const Token& token, const std::string& queue);

// What a token for other queues is told.
[[nodiscard]] Problem not_for_queue(const std::string& queue);

[[nodiscard]] RecordRef token_ref(const std::string& id);
[[nodiscard]] Status check(const CreateToken& request);
[[nodiscard]] Status check(const RevokeToken& request);
[[nodiscard]] Token token_from(const RawJson& body);
[[nodiscard]] Result<RecordDecision> decide_create_token(const CreateToken& request, FoundRecords found,
                                                         TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_revoke_token(const RevokeToken& request, FoundRecords found,
                                                         TimePoint now);

}  // namespace pawl::core
