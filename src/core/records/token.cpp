#include "core/records/token.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/json/body.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRoleCount> kRoleNames{"enqueuer", "claimer",  "viewer",
                                                              "worker",   "operator", "admin"};
constexpr std::string_view kPrefix = "pawl";
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kCrcLength = 8;

bool is_base62(std::string_view text) { return text.find_first_not_of(kAlphabet) == std::string_view::npos; }

char letter_of(Role role) { return to_string(role).front(); }

std::optional<Role> role_of_letter(std::string_view letter) {
  for (int i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    if (letter.size() == 1 && letter.front() == letter_of(role)) return role;
  }
  return std::nullopt;
}

RawJson encode(const Token& token) {
  Body body;
  body.put("id", token.id);
  body.put("role", std::string{to_string(token.role)});
  body.put("namespaces", token.namespaces);
  body.put("queues", token.queues);
  body.put("name", token.name);
  body.put("created_at", token.created_at);
  body.put("expires_at", token.expires_at);
  body.put("revoked_at", token.revoked_at);
  body.put("secret_hash", token.secret_hash);
  body.put("rotated_at", token.rotated_at);
  body.put("previous_hash", token.previous_hash);
  body.put("previous_until", token.previous_until);
  body.put("last_used_at", token.last_used_at);
  return body.text();
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Status check_id(const std::string& id) {
  if (id.size() == kTokenIdLength && is_base62(id)) return Done{};
  return invalid_field("id", fmt::format("must be {} letters and digits", kTokenIdLength));
}

bool may_be_bound(Role role) {
  return role == Role::worker || role == Role::enqueuer || role == Role::claimer;
}

// A token for one namespace belongs to that namespace's audit; any other token to the server's.
std::string audit_namespace(const Token& token) {
  const bool is_of_one = token.namespaces.size() == 1 && token.namespaces.front() != "*";
  return is_of_one ? token.namespaces.front() : "";
}

bool is_valid_at(const Token& token, TimePoint now) {
  return (!token.revoked_at || planted(Canary::revoked_token_accepted)) &&
         (!token.expires_at || now < *token.expires_at || planted(Canary::expired_token_accepted));
}

Status check_scope(const CreateToken& request) {
  if (request.namespaces.empty()) return invalid_field("namespaces", "must not be empty");
  if (request.namespaces.size() > kTokenNamespacesMax)
    return invalid_field("namespaces", fmt::format("has {} entries (at most {})", request.namespaces.size(),
                                                   kTokenNamespacesMax));
  for (const std::string& ns : request.namespaces) {
    if (ns == "*") continue;
    if (const Status checked = check_namespace(ns); !checked)
      return invalid_field("namespaces", "holds " + ns);
  }
  if (!request.queues.empty() && !may_be_bound(request.role)) {
    return invalid_field("queues", fmt::format("cannot bind a token with the role {}, which reads all queues "
                                               "(only worker, enqueuer and claimer)",
                                               to_string(request.role)));
  }
  if (request.queues.size() > kTokenQueuesMax)
    return invalid_field("queues",
                         fmt::format("has {} entries (at most {})", request.queues.size(), kTokenQueuesMax));
  for (std::size_t i = 0; i < request.queues.size(); ++i) {
    const Status queue = check_name(fmt::format("queues[{}]", i), request.queues[i]);
    if (!queue) return queue;
  }
  return Done{};
}

}  // namespace

std::string_view to_string(Role role) { return kRoleNames.at(static_cast<std::size_t>(role)); }

std::optional<Role> role_from(std::string_view name) {
  for (int i = 0; i < kRoleCount; ++i) {
    if (kRoleNames.at(static_cast<std::size_t>(i)) == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

std::string base62(std::string_view random_bytes, std::size_t length) {
  constexpr std::size_t kFair = 256 / 62 * 62;
  std::string text;
  for (const char c : random_bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFair && text.size() < length) text.push_back(kAlphabet[byte % 62]);
  }
  PAWL_ENSURE(text.size() == length, "enough bytes are drawn");
  return text;
}

std::string format_token(const TokenText& token) {
  const std::string text = fmt::format("{}_{}_{}_{}", kPrefix, letter_of(token.role), token.id, token.secret);
  return fmt::format("{}_{:08x}", text, crc32(text));
}

std::optional<TokenText> parse_token(std::string_view text) {
  std::array<std::string_view, 5> parts;
  std::string_view rest = text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = rest.find('_');
    const bool is_last = i + 1 == parts.size();
    if ((end == std::string_view::npos) != is_last) return std::nullopt;
    parts.at(i) = rest.substr(0, end);
    if (!is_last) rest.remove_prefix(end + 1);
  }
  const auto role = role_of_letter(parts[1]);
  const bool is_formed = parts[0] == kPrefix && role && parts[2].size() == kTokenIdLength &&
                         is_base62(parts[2]) && parts[3].size() >= kTokenSecretLengthMin &&
                         is_base62(parts[3]) && parts[4].size() == kCrcLength;
  if (!is_formed) return std::nullopt;
  const std::string_view checked = text.substr(0, text.size() - kCrcLength - 1);
  if (fmt::format("{:08x}", crc32(checked)) != parts[4]) return std::nullopt;
  return TokenText{.role = *role, .id = std::string{parts[2]}, .secret = std::string{parts[3]}};
}

bool equals_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

Status authenticate(const std::optional<Token>& token, std::string_view secret_hash, TimePoint now) {
  // An unknown id is compared too, with a hash that no secret has, so that it takes as long as a known id.
  const std::string nobody(secret_hash.size(), '\0');
  const bool is_current = equals_in_constant_time(token ? token->secret_hash : nobody, secret_hash);
  const bool is_previous = equals_in_constant_time(token ? token->previous_hash : nobody, secret_hash);
  const bool has_previous = token && token->previous_until && now < *token->previous_until;
  const bool is_match = is_current || (is_previous && has_previous) || planted(Canary::secret_not_compared);
  if (token && is_match && is_valid_at(*token, now)) return Done{};
  return Problem{.code = ProblemCode::unauthorized, .detail = "the token is not valid"};
}

bool allows_namespace(const Token& token, const std::string& ns) {
  return contains(token.namespaces, "*") || contains(token.namespaces, ns);
}

bool covers_namespaces(const std::vector<std::string>& held, const std::vector<std::string>& needed) {
  if (contains(held, "*")) return true;
  return !needed.empty() &&
         std::all_of(needed.begin(), needed.end(), [&](const std::string& ns) { return contains(held, ns); });
}

Status check_queue(const std::vector<std::string>& queues, const std::string& queue) {
  if (queues.empty() || contains(queues, queue)) return Done{};
  return Problem{.code = ProblemCode::forbidden, .detail = "the token is not for the queue " + queue};
}

bool is_use_noted(const Token& token, TimePoint now) {
  return !token.last_used_at || *token.last_used_at + kLastUsedStep <= now;
}

RecordRef token_ref(const std::string& id) { return {.kind = RecordKind::token, .key = id}; }

Status check(const CreateToken& request) {
  const Status none = Done{};
  return first_of({check_id(request.id), check_key("secret_hash", request.secret_hash), check_scope(request),
                   request.name.empty() ? none : check_name("name", request.name)});
}

Status check(const RevokeToken& request) { return check_id(request.id); }

Status check(const RotateToken& request) {
  return first_of({check_id(request.id), check_key("secret_hash", request.secret_hash),
                   check_duration("overlap", request.overlap, Duration{0}, kRotationOverlapMax)});
}

Status check(const NoteTokenUse& request) { return check_id(request.id); }

Token token_from(const RawJson& text) {
  using Names = std::vector<std::string>;
  const Body body{text};
  return {.id = body.text_of("id"),
          .role = role_from(body.text_of("role")).value_or(Role::viewer),
          .namespaces = body.get<Names>("namespaces"),
          .queues = body.get<Names>("queues"),
          .name = body.text_of("name"),
          .created_at = body.time_of("created_at"),
          .expires_at = body.optional_time_of("expires_at"),
          .revoked_at = body.optional_time_of("revoked_at"),
          .secret_hash = body.text_of("secret_hash"),
          .rotated_at = body.optional_time_of("rotated_at"),
          .previous_hash = body.text_of("previous_hash"),
          .previous_until = body.optional_time_of("previous_until"),
          .last_used_at = body.optional_time_of("last_used_at")};
}

Result<RecordDecision> decide_create_token(const CreateToken& request, FoundRecords found, TimePoint now) {
  if (found[0])
    return Problem{.code = ProblemCode::conflict, .detail = fmt::format("token {} exists", request.id)};
  if (request.expires_at && *request.expires_at <= now)
    return invalid_field("expires_at", "must be in the future");
  const Token token{.id = request.id,
                    .role = request.role,
                    .namespaces = request.namespaces,
                    .queues = request.queues,
                    .name = request.name,
                    .created_at = now,
                    .expires_at = request.expires_at,
                    .secret_hash = request.secret_hash};
  RecordDecision decision{.answer = encode(token)};
  decision.changes.push_back({.ref = token_ref(token.id), .body = decision.answer});
  decision.audit.push_back(audit_of(request.by, audit_namespace(token), "token.create", token.id));
  return decision;
}

Result<RecordDecision> decide_revoke_token(const RevokeToken& request, FoundRecords found, TimePoint now) {
  if (!found[0])
    return Problem{.code = ProblemCode::not_found, .detail = fmt::format("there is no token {}", request.id)};
  Token token = token_from(found[0]->body);
  if (token.revoked_at) return RecordDecision{.answer = found[0]->body};
  token.revoked_at = now;
  RecordDecision decision{.answer = encode(token)};
  decision.changes.push_back({.ref = found[0]->ref, .body = decision.answer});
  decision.audit.push_back(audit_of(request.by, audit_namespace(token), "token.revoke", token.id));
  return decision;
}

Result<RecordDecision> decide_rotate_token(const RotateToken& request, FoundRecords found, TimePoint now) {
  if (!found[0])
    return Problem{.code = ProblemCode::not_found, .detail = fmt::format("there is no token {}", request.id)};
  Token token = token_from(found[0]->body);
  if (!is_valid_at(token, now)) {
    return Problem{
        .code = ProblemCode::invalid_state,
        .detail = fmt::format("token {} is {}", request.id, token.revoked_at ? "revoked" : "expired")};
  }
  token.previous_hash = token.secret_hash;
  token.previous_until = now + request.overlap;
  token.secret_hash = request.secret_hash;
  token.rotated_at = now;
  RecordDecision decision{.answer = encode(token)};
  decision.changes.push_back({.ref = found[0]->ref, .body = decision.answer});
  decision.audit.push_back(audit_of(request.by, audit_namespace(token), "token.rotate", token.id));
  return decision;
}

Result<RecordDecision> decide_note_token_use(const NoteTokenUse& request, FoundRecords found, TimePoint now) {
  if (!found[0])
    return Problem{.code = ProblemCode::not_found, .detail = fmt::format("there is no token {}", request.id)};
  Token token = token_from(found[0]->body);
  if (!is_use_noted(token, now)) return RecordDecision{.answer = found[0]->body};
  token.last_used_at = now;
  RecordDecision decision{.answer = encode(token)};
  decision.changes.push_back({.ref = found[0]->ref, .body = decision.answer});
  return decision;
}

}  // namespace pawl::core
