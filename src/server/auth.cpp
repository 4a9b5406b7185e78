#include "server/auth.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/canary.hpp"
#include "core/sha256.hpp"

namespace pawl::server {

namespace {

using core::Problem;
using core::ProblemCode;
using core::Result;

constexpr core::Duration kKeptFor = std::chrono::milliseconds{900};
// What is known for so long yet is at hand: it will not have to be read between the question and its use.
constexpr core::Duration kSoon = std::chrono::milliseconds{50};
constexpr std::size_t kKnownMax = 10'000;
constexpr std::string_view kBearer = "bearer ";

// One text for all that is wrong with a token: which part it was is nobody's business.
Problem unauthorized() {
  return {.code = ProblemCode::unauthorized, .detail = "the Authorization header has no valid token"};
}

// A scheme is read in any case.
bool is_bearer(std::string_view field) {
  const auto is_same = [](char given, char lower) {
    const bool is_upper = given >= 'A' && given <= 'Z';
    return (is_upper ? given - 'A' + 'a' : given) == lower;
  };
  return field.size() >= kBearer.size() &&
         std::equal(kBearer.begin(), kBearer.end(), field.begin(),
                    [&](char lower, char given) { return is_same(given, lower); });
}

auto token_text(const Request& request) {
  const std::string_view field = request.authorization;
  return core::parse_token(is_bearer(field) ? field.substr(kBearer.size()) : std::string_view{});
}

// Without tokens a caller is trusted for where it is. Neither of these says where.
core::Status check_direct(Provenance provenance) {
  constexpr std::string_view kAdvice = "create one: pawl token create --store STORE --role admin --for '*'";
  if (provenance == Provenance::direct) return core::Done{};
  const std::string_view why = provenance == Provenance::forwarded
                                   ? "a proxy forwarded the request, and whoever it serves would be an admin"
                                   : "the Host is neither localhost, an IP address nor one of server.hosts";
  return Problem{.code = ProblemCode::forbidden,
                 .detail = fmt::format("this server has no token yet: {}; {}", why, kAdvice)};
}

core::Status check_role(const core::Token& token, const Request& request) {
  const core::Role needed = *request.route->role;
  if (token.role < needed && !core::planted(core::Canary::role_not_compared)) {
    return Problem{.code = ProblemCode::forbidden,
                   .detail = fmt::format("this needs the role {}, the token has {}", core::to_string(needed),
                                         core::to_string(token.role))};
  }
  const bool is_of_no_namespace = request.ns.empty();
  const bool may_anywhere = core::allows_namespace(token, "*");
  const bool is_allowed = is_of_no_namespace ? may_anywhere || needed < core::Role::admin
                                             : core::allows_namespace(token, request.ns);
  if (!is_allowed && !core::planted(core::Canary::token_namespace_not_compared)) {
    return Problem{
        .code = ProblemCode::forbidden,
        .detail = fmt::format("the token is not for {}", is_of_no_namespace ? "all namespaces" : request.ns)};
  }
  return core::Done{};
}

}  // namespace

Result<bool> Auth::has_tokens() {
  {
    const std::lock_guard lock{mutex_};
    if (has_tokens_ && clock_.monotonic() < has_tokens_until_) return *has_tokens_;
  }
  const auto page = api_.list_tokens({.limit = 1});
  if (!page) return page.problem();
  const std::lock_guard lock{mutex_};
  has_tokens_ = !page->items.empty();
  has_tokens_until_ = clock_.monotonic() + kKeptFor;
  return *has_tokens_;
}

Result<Auth::Known> Auth::find(const std::string& id) {
  {
    const std::lock_guard lock{mutex_};
    const auto known = known_.find(id);
    if (known != known_.end() && clock_.monotonic() < known->second.until) return known->second;
  }
  const auto found = api_.find_token(id);
  if (!found && found.problem().code != ProblemCode::not_found) return found.problem();
  Known seen{.until = clock_.monotonic() + kKeptFor};
  if (found) {
    seen.token = found->token;
    seen.seen_at = found->now;
  }
  const std::lock_guard lock{mutex_};
  if (known_.size() >= kKnownMax) known_.clear();
  known_[id] = seen;
  return seen;
}

bool Auth::is_at_hand(const Request& request) {
  const core::MonotonicTime soon = clock_.monotonic() + kSoon;
  const std::lock_guard lock{mutex_};
  if (!has_tokens_ || has_tokens_until_ <= soon) return false;
  const auto text = token_text(request);
  if (!text) return true;  // nobody we know, or nobody needs a token
  const auto known = known_.find(text->id);
  return known != known_.end() && soon < known->second.until;
}

void Auth::forget() {
  if (core::planted(core::Canary::revocation_not_followed)) return;
  const std::lock_guard lock{mutex_};
  has_tokens_.reset();
  known_.clear();
}

Result<Allowed> Auth::allow(const Request& request) {
  if (!request.route->role) return Allowed{.actor = {.request_id = request.id}};
  const auto guarded = has_tokens();
  if (!guarded) return guarded.problem();
  const bool is_open = !*guarded && !options_.requires_token;
  if (is_open && (request.is_local || options_.serves_anyone)) {
    if (const core::Status direct = check_direct(request.provenance); !direct) return direct.problem();
    return Allowed{.actor = {.role = "admin", .request_id = request.id}};
  }
  const auto text = token_text(request);
  if (!text) return unauthorized();
  const auto known = find(text->id);
  if (!known) return known.problem();
  if (!core::authenticate(known->token, core::sha256_hex(text->secret), known->seen_at))
    return unauthorized();
  const core::Token& token = *known->token;
  Allowed allowed{
      .actor = {.id = token.id, .role = std::string{core::to_string(token.role)}, .request_id = request.id},
      .queues = token.queues};
  if (const core::Status role = check_role(token, request); !role) allowed.refusal = role.problem();
  return allowed;
}

}  // namespace pawl::server
