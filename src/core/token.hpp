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
inline constexpr Duration kRotationOverlap = std::chrono::hours{24};
inline constexpr Duration kRotationOverlapMax = std::chrono::hours{30 * 24};
inline constexpr Duration kLastUsedStep = std::chrono::hours{1};
inline constexpr std::size_t kTokenQueuesMax = 100;
inline constexpr std::size_t kTokenNamespacesMax = 100;

// From viewer on, each may do what those before it may. An enqueuer and a claimer read nothing: each may make
// the calls of its half of a worker's role (wire/access.hpp).
enum class Role : std::uint8_t {
  enqueuer,
  claimer,
  viewer,
  worker,
  supervisor,
  admin
};  // supervisor: "operator", a word of C++
inline constexpr int kRoleCount = 6;
[[nodiscard]] std::string_view to_string(Role role);
[[nodiscard]] std::optional<Role> role_from(std::string_view name);

struct Token {
  std::string id = {};
  Role role = Role::viewer;
  std::vector<std::string> namespaces = {};  // "*": all
  std::vector<std::string> queues = {};      // that it is bound to; none: all
  std::string name = {};
  TimePoint created_at = {};
  std::optional<TimePoint> expires_at = {};
  std::optional<TimePoint> revoked_at = {};
  std::string secret_hash = {};  // SHA-256 of the secret, as the edge spells it
  std::optional<TimePoint> rotated_at = {};
  std::string previous_hash = {};                // of the secret before the last rotation
  std::optional<TimePoint> previous_until = {};  // when that one ends
  std::optional<TimePoint> last_used_at = {};    // up to kLastUsedStep ago

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

// A new secret for the same token. The one before it stays valid for `overlap`, and the one before that ends.
struct RotateToken {
  std::string id = {};
  std::string secret_hash = {};
  Duration overlap = kRotationOverlap;
  Actor by = {};
};
// Notes that a token was used, at most once in kLastUsedStep.
struct NoteTokenUse {
  std::string id = {};
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
// Whether a token for the namespaces `held` covers all of `needed`, so that its holder may manage a token or
// a record of these.
[[nodiscard]] bool covers_namespaces(const std::vector<std::string>& held,
                                     const std::vector<std::string>& needed);
// The holder of a token that is bound to `queues` (none: all) may reach into this queue; else `forbidden`.
[[nodiscard]] Status check_queue(const std::vector<std::string>& queues, const std::string& queue);
// The use of a token at `now` is worth a write.
[[nodiscard]] bool is_use_noted(const Token& token, TimePoint now);

[[nodiscard]] RecordRef token_ref(const std::string& id);
[[nodiscard]] Status check(const CreateToken& request);
[[nodiscard]] Status check(const RevokeToken& request);
[[nodiscard]] Status check(const RotateToken& request);
[[nodiscard]] Status check(const NoteTokenUse& request);
[[nodiscard]] Token token_from(const RawJson& body);
[[nodiscard]] Result<RecordDecision> decide_create_token(const CreateToken& request, FoundRecords found,
                                                         TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_revoke_token(const RevokeToken& request, FoundRecords found,
                                                         TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_rotate_token(const RotateToken& request, FoundRecords found,
                                                         TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_note_token_use(const NoteTokenUse& request, FoundRecords found,
                                                           TimePoint now);

}  // namespace pawl::core
