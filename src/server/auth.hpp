#pragma once
// Authenticates and authorizes requests. Until the first token is created, local callers may do everything
// and other callers nothing; after that every call needs a token, except calls whose route needs no role.
// Everything that is not allowed is denied.
//
// Every node rejects a revoked token within a second. Thread-safe; may read the store.

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/api/api.hpp"
#include "core/base/env.hpp"
#include "server/request.hpp"

namespace pawl::server {

// The authenticated caller and its permissions.
struct Allowed {
  core::Actor actor = {};
  std::vector<std::string> namespaces = {};   // only these; empty or containing "*": all
  std::vector<std::string> queues = {};       // only these; empty: all
  std::optional<core::Problem> refusal = {};  // the token is valid but does not permit this request
  bool is_use_due = false;                    // the token's last use should be recorded
};

class Auth {
 public:
  // Maximum age of cached token data. RevocationWatch checks waiting calls every kBetweenChecks; the sum of
  // both must stay below the second within which a revocation takes effect.
  static constexpr core::Duration kKeptFor = std::chrono::milliseconds{400};

  // What applies until the first token is created.
  struct Options {
    bool serves_anyone = false;   // remote callers may do everything too (--insecure)
    bool requires_token = false;  // every call needs a token (auth.required)
  };
  Auth(core::Api& api, core::Clock& clock, Options options) : api_(api), clock_(clock), options_(options) {}

  // Authenticates the request and checks its permissions; a problem if authentication fails.
  [[nodiscard]] core::Result<Allowed> allow(const Request& request);
  // Whether `allow` decides from the cache. Otherwise it reads the store, which a network thread must not
  // wait for.
  [[nodiscard]] bool is_cached(const Request& request);
  // Clears the cache; called after this node created, rotated or revoked a token.
  void forget();
  // Sets the callback that `forget` invokes.
  void on_forget(std::function<void()> call);

 private:
  struct CachedToken {
    std::optional<core::Token> token = {};
    core::TimePoint seen_at = {};  // store time, which decides whether the token has expired
    core::MonotonicTime until = {};
  };

  [[nodiscard]] core::Result<bool> has_tokens();
  [[nodiscard]] core::Result<CachedToken> find(const std::string& id);
  // True at most once per interval in which recording a token's use is worth a write.
  [[nodiscard]] bool note_use(const core::Token& token, core::TimePoint now);

  core::Api& api_;
  core::Clock& clock_;
  const Options options_;
  std::mutex mutex_;
  std::optional<bool> has_tokens_ = {};
  core::MonotonicTime has_tokens_until_ = {};
  std::map<std::string, CachedToken> cached_;
  std::function<void()> on_forget_ = {};
};

}  // namespace pawl::server
