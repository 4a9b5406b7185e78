#pragma once
// The calls on tokens, namespaces, the audit log, nodes and maintenance over a server.

#include <string>
#include <vector>

#include "client/http_connection.hpp"
#include "core/api/admin_api.hpp"

namespace pawl::client {

class HttpAdminApi : public virtual core::AdminApi {
 public:
  explicit HttpAdminApi(HttpConnection& connection) : connection_(connection) {}

  // Only the server generates secrets; a client can neither set nor see a hash.
  core::Result<core::Token> create_token(const core::CreateToken& request) override;
  core::Result<core::Token> revoke_token(const core::RevokeToken& request) override;
  core::Result<core::Token> rotate_token(const core::RotateToken& request) override;
  core::Result<core::FoundToken> find_token(const std::string& id) override;
  core::Result<core::Page<core::Token>> list_tokens(const core::ListRecords& list) override;

  core::Result<core::NamespaceSettings> get_namespace(const std::string& ns) override;
  core::Result<core::NamespaceSettings> put_namespace(const core::PutNamespace& request) override;

  core::Result<core::Done> append_audit(std::vector<core::AuditEntry> entries) override;
  core::Result<core::Page<core::AuditEntry>> list_audit(const core::ListAudit& list) override;

  core::Result<std::vector<core::NodeStatus>> list_nodes() override;
  core::Result<core::StoreVitals> vitals() override;
  core::Result<core::SweepResult> sweep(const core::Sweep& request) override;
  core::Result<core::Verification> verify() override;

 private:
  HttpConnection& connection_;
};

}  // namespace pawl::client
