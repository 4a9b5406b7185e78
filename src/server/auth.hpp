#pragma once
// Who may do what. Until the first token is made, callers of this machine may do everything and others
// nothing; from then on every call needs a token, but for those that anyone may make. What is not allowed is
// denied.
//
// Always: a revoked token is refused within a second on every node. Any thread; may read the store.

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/api.hpp"
#include "core/env.hpp"
#include "server/request.hpp"

namespace pawl::server {

// Who asks.
struct Allowed {
  core::Actor actor = {};
  std::vector<std::string> namespaces = {};   // only these; none, or "*" among them: all
  std::vector<std::string> queues = {};       // only these; none: all
  std::optional<core::Problem> refusal = {};  // it is known, and may not do this
  bool is_use_due = false;                    // that the token was used is to be noted
};

class Auth {
 public:
  // How old what is known of a token may be. A wait is compared every RevocationWatch::kBetweenChecks:
  // together they are less than the second within which a revocation is followed.
  static constexpr core::Duration kKeptFor = std::chrono::milliseconds{400};

  // What holds until the first token.
  struct Options {
    bool serves_anyone = false;   // callers from elsewhere may do everything too (--insecure)
    bool requires_token = false;  // nobody may do anything (auth.required)
  };
  Auth(core::Api& api, core::Clock& clock, Options options) : api_(api), clock_(clock), options_(options) {}

  // The one who asks; a problem where that is nobody we know.
  [[nodiscard]] core::Result<Allowed> allow(const Request& request);
  // Whether that is decided from memory; else it reads the store, which a thread of the network must not wait
  // for.
  [[nodiscard]] bool is_at_hand(const Request& request);
  // A token was made or revoked here.
  void forget();
  // What is called then.
  void on_forget(std::function<void()> call);

 private:
  struct Known {
    std::optional<core::Token> token = {};
    core::TimePoint seen_at = {};  // by the store's clock, which decides whether it has expired
    core::MonotonicTime until = {};
  };

  [[nodiscard]] core::Result<bool> has_tokens();
  [[nodiscard]] core::Result<Known> find(const std::string& id);
  // True once for each time that the use of a token is worth a write.
  [[nodiscard]] bool note_use(const core::Token& token, core::TimePoint now);

  core::Api& api_;
  core::Clock& clock_;
  const Options options_;
  std::mutex mutex_;
  std::optional<bool> has_tokens_ = {};
  core::MonotonicTime has_tokens_until_ = {};
  std::map<std::string, Known> known_;
  std::function<void()> on_forget_ = {};
};

}  // namespace pawl::server
