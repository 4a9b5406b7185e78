#pragma once
// The calls on tokens, namespaces, the audit log, nodes and the store as a whole, over an engine in this
// process.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/api/admin_api.hpp"
#include "runtime/local_context.hpp"

namespace pawl::runtime {

class LocalAdminApi : public virtual core::AdminApi {
 public:
  explicit LocalAdminApi(LocalContext& context)
      : store_(context.store),
        options_(context.options),
        caller_(context.caller),
        records_(context.records) {}

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

  // Whether the store can serve: Store::check_ready.
  [[nodiscard]] core::Status check_store();

 private:
  core::Page<core::AuditEntry> read_audit(const core::ListAudit& list, std::optional<std::int64_t> before);
  // `sweep_due` runs a recovery check; `sweep_old` erases rows past their retention.
  core::Status sweep_due(const core::Sweep& request, core::SweepResult& result);
  core::Status sweep_old(const core::Sweep& request, core::SweepResult& result);

  store::Store& store_;
  const LocalApiOptions& options_;
  CommandCaller& caller_;
  RecordAccess& records_;
};

}  // namespace pawl::runtime
