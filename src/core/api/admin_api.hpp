#pragma once
// Every use case of administration: tokens, namespaces, the audit log, nodes and maintenance. See
// core/api/api.hpp.

#include <string>
#include <vector>

#include "core/api/page.hpp"
#include "core/base/vitals.hpp"
#include "core/records/audit.hpp"
#include "core/records/maintenance.hpp"
#include "core/records/namespace_settings.hpp"
#include "core/records/node.hpp"
#include "core/records/token.hpp"

namespace pawl::core {

struct ListAudit {
  int limit = kPageDefault;
  std::string cursor = {};
  AuditFilter filter = {};  // a filtered page may be short or empty; its cursor continues the list
};

// A token, and the store's time when it was read.
struct FoundToken {
  Token token = {};
  TimePoint now = {};
};

class AdminApi {
 public:
  AdminApi() = default;
  AdminApi(const AdminApi&) = delete;
  AdminApi& operator=(const AdminApi&) = delete;
  virtual ~AdminApi() = default;

  virtual Result<Token> create_token(const CreateToken& request) = 0;
  virtual Result<Token> revoke_token(const RevokeToken& request) = 0;
  virtual Result<Token> rotate_token(const RotateToken& request) = 0;
  virtual Result<FoundToken> find_token(const std::string& id) = 0;
  virtual Result<Page<Token>> list_tokens(const ListRecords& list) = 0;
  virtual Result<NamespaceSettings> get_namespace(const std::string& ns) = 0;
  virtual Result<NamespaceSettings> put_namespace(const PutNamespace& request) = 0;
  // For actions that no other call records, such as a denied call.
  virtual Result<Done> append_audit(std::vector<AuditEntry> entries) = 0;
  virtual Result<Page<AuditEntry>> list_audit(const ListAudit& list) = 0;  // newest first
  virtual Result<std::vector<NodeStatus>> list_nodes() = 0;
  virtual Result<StoreVitals> vitals() = 0;
  virtual Result<SweepResult> sweep(const Sweep& request) = 0;
  // Reads the whole store page by page, concurrently with normal operation.
  virtual Result<Verification> verify() = 0;
};

}  // namespace pawl::core
