#pragma once
// Who keeps the tokens, as `pawl token` asks them: a server, or a store that is opened here. Tokens are the
// JSON that the API shows. One thread.

#include <functional>
#include <string>
#include <string_view>

#include "cli/session.hpp"
#include "core/api.hpp"

namespace pawl::cli {

struct NewToken {
  core::Role role = core::Role::viewer;
  std::vector<std::string> namespaces = {};  // "*": all
  std::vector<std::string> queues = {};      // none: all
  std::string name = {};
  std::optional<core::TimePoint> expires_at = {};
};

class TokenKeeper {
 public:
  virtual ~TokenKeeper() = default;

  // With its secret as "token", which is not shown again.
  [[nodiscard]] virtual core::Result<std::string> create(const NewToken& token) = 0;
  [[nodiscard]] virtual core::Status each(const std::function<void(std::string_view)>& take) = 0;
  [[nodiscard]] virtual core::Status revoke(const std::string& id) = 0;
  // With its new secret, as `create`.
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
