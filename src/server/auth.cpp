#include "server/auth.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/sha256.hpp"

namespace pawl::server {

namespace {

using core::Problem;
using core::ProblemCode;
using core::Result;

// A cached entry must stay valid this long, so that it does not expire between the check and its use.
constexpr core::Duration kSoon = std::chrono::milliseconds{50};
constexpr std::size_t kCachedMax = 10'000;
constexpr std::string_view kBearer = "bearer ";  // any number of spaces may follow

// One message for every authentication error, so that callers cannot learn which part of a token was wrong.
Problem unauthorized() {
  return {.code = ProblemCode::unauthorized, .detail = "the Authorization header has no valid token"};
}

// Schemes are case-insensitive.
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
  if (!is_bearer(field)) return core::parse_token({});
  return core::parse_token(
      field.substr(std::min(field.find_first_not_of(' ', kBearer.size()), field.size())));
}

bool has_role(core::Role role, core::Role needed, const wire::Access& access) {
  switch (role) {
    case core::Role::enqueuer: return access.enqueuer;
    case core::Role::claimer: return access.claimer;
    default: return role >= needed;
  }
}

// Without tokens, callers are trusted by their location, which neither of these provenances proves.
core::Status check_direct(Provenance provenance) {
  constexpr std::string_view kAdvice = "create one: pawl token create --store STORE --role admin --for '*'";
  if (provenance == Provenance::direct) return core::Done{};
  const std::string_view why = provenance == Provenance::forwarded
                                   ? "a proxy forwarded the request, so its clients would be admins"
                                   : "the Host is neither localhost, an IP address nor one of server.hosts";
  return Problem{.code = ProblemCode::forbidden,
                 .detail = fmt::format("this server has no token yet: {}; {}", why, kAdvice)};
}

core::Status check_role(const core::Token& token, const Request& request) {
  const core::Role needed = *request.route->role;
  const wire::Access& access = request.route->access;
  if (has_role(token.role, needed, access) || core::planted(core::Canary::role_not_compared))
    return core::Done{};
  return Problem{.code = ProblemCode::forbidden,
                 .detail = fmt::format("this needs the role {}, the token has {}", core::to_string(needed),
                                       core::to_string(token.role))};
}

core::Status check_namespace(const core::Token& token, const Request& request) {
  const wire::Access& access = request.route->access;
  const bool is_named = access.namespaces == wire::NamespaceReach::named;
  const std::string& ns = is_named ? request.parameters.at(0) : request.ns;
  const bool is_for_any =
      *request.route->role < core::Role::admin || access.namespaces == wire::NamespaceReach::some;
  const bool is_allowed =
      ns.empty() ? is_for_any || core::allows_namespace(token, "*") : core::allows_namespace(token, ns);
  if (is_allowed || core::planted(core::Canary::token_namespace_not_compared)) return core::Done{};
  return Problem{.code = ProblemCode::forbidden,
                 .detail = fmt::format("the token is not for {}", ns.empty() ? "all namespaces" : ns)};
}

// Calls that do not check queues reject tokens that are bound to queues.
core::Status check_bound(const core::Token& token, const Request& request) {
  const bool is_reached = request.route->access.queues != wire::QueueReach::none;
  if (token.queues.empty() || is_reached || core::planted(core::Canary::token_queue_not_compared))
    return core::Done{};
  return Problem{.code = ProblemCode::forbidden,
                 .detail = fmt::format("the token is bound to the queues {}; this call affects all queues",
                                       fmt::join(token.queues, ", "))};
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

Result<Auth::CachedToken> Auth::find(const std::string& id) {
  {
    const std::lock_guard lock{mutex_};
    const auto cached = cached_.find(id);
    if (cached != cached_.end() && clock_.monotonic() < cached->second.until) return cached->second;
  }
  const auto found = api_.find_token(id);
  if (!found && found.problem().code != ProblemCode::not_found) return found.problem();
  CachedToken seen{.until = clock_.monotonic() + kKeptFor};
  if (found) {
    seen.token = found->token;
    seen.seen_at = found->now;
  }
  const std::lock_guard lock{mutex_};
  if (cached_.size() >= kCachedMax) cached_.clear();
  cached_[id] = seen;
  return seen;
}

bool Auth::is_cached(const Request& request) {
  const core::MonotonicTime soon = clock_.monotonic() + kSoon;
  const std::lock_guard lock{mutex_};
  if (!has_tokens_ || has_tokens_until_ <= soon) return false;
  const auto text = token_text(request);
  if (!text) return true;  // `allow` rejects it, or needs no token
  const auto cached = cached_.find(text->id);
  return cached != cached_.end() && soon < cached->second.until;
}

void Auth::forget() {
  if (core::planted(core::Canary::revocation_not_followed)) return;
  std::function<void()> call;
  {
    const std::lock_guard lock{mutex_};
    has_tokens_.reset();
    cached_.clear();
    call = on_forget_;
  }
  if (call) call();
}

void Auth::on_forget(std::function<void()> call) {
  const std::lock_guard lock{mutex_};
  on_forget_ = std::move(call);
}

// Updates the cached token, so that requests before its next read do not record the use again.
bool Auth::note_use(const core::Token& token, core::TimePoint now) {
  if (!core::is_use_noted(token, now)) return false;
  const std::lock_guard lock{mutex_};
  const auto cached = cached_.find(token.id);
  if (cached == cached_.end() || !cached->second.token || !core::is_use_noted(*cached->second.token, now))
    return false;
  cached->second.token->last_used_at = now;
  return true;
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
  const auto cached = find(text->id);
  if (!cached) return cached.problem();
  if (!core::authenticate(cached->token, core::sha256_hex(text->secret), cached->seen_at))
    return unauthorized();
  const core::Token& token = *cached->token;
  Allowed allowed{
      .actor = {.id = token.id, .role = std::string{core::to_string(token.role)}, .request_id = request.id},
      .namespaces = token.namespaces,
      .queues = token.queues,
      .is_use_due = note_use(token, cached->seen_at)};
  for (const auto& check : {check_role, check_namespace, check_bound}) {
    const core::Status passed = check(token, request);
    if (!passed && !allowed.refusal) allowed.refusal = passed.problem();
  }
  return allowed;
}

}  // namespace pawl::server
