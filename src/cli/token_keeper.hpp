#pragma once
// Where `pawl token` manages tokens: on a server, or in a store that this process opens. Tokens are JSON as
// in the API. Not thread-safe.

#include <functional>
#include <string>
#include <string_view>

#include "cli/session.hpp"
#include "core/api/api.hpp"

namespace pawl::cli {

struct NewToken {
  core::Role role = core::Role::viewer;
  std::vector<std::string> namespaces = {};  // "*": all
  std::vector<std::string> queues = {};      // empty: all
  std::string name = {};
  std::optional<core::TimePoint> expires_at = {};
};

class TokenKeeper {
 public:
  virtual ~TokenKeeper() = default;

  // The token with its secret as the member "token". The secret is not shown again.
  [[nodiscard]] virtual core::Result<std::string> create(const NewToken& token) = 0;
  [[nodiscard]] virtual core::Status each(const std::function<void(std::string_view)>& take) = 0;
  [[nodiscard]] virtual core::Status revoke(const std::string& id) = 0;
  // The token with its new secret, as in `create`.
  [[nodiscard]] virtual core::Result<std::string> rotate(const std::string& id, core::Duration overlap) = 0;
};

class ServerTokens final : public TokenKeeper {
 public:
  explicit ServerTokens(Session& session) : session_(session) {}

  core::Result<std::string> create(const NewToken& token) override;
  core::Status each(const std::function<void(std::string_view)>& take) override;
  core::Status revoke(const std::string& id) override;
  core::Result<std::string> rotate(const std::string& id, core::Duration overlap) override;

 private:
  Session& session_;
};

class StoreTokens final : public TokenKeeper {
 public:
  explicit StoreTokens(core::Api& api) : api_(api) {}

  core::Result<std::string> create(const NewToken& token) override;
  core::Status each(const std::function<void(std::string_view)>& take) override;
  core::Status revoke(const std::string& id) override;
  core::Result<std::string> rotate(const std::string& id, core::Duration overlap) override;

 private:
  core::Api& api_;
};

}  // namespace pawl::cli
