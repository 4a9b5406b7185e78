#include "server/services.hpp"

namespace pawl::server {

void Server::write_audit(std::vector<core::AuditEntry> entries) const {
  submit(audit_command(std::move(entries)), [](const core::Result<core::Answer>&) {});
}

}  // namespace pawl::server
