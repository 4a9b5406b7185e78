#pragma once
// What the doctor makes of what it is shown: pure, so that each illness can be shown to it.

#include <string>
#include <vector>

#include "cli/doctor.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

// Of the queues and workers of a namespace, as GET /queues and GET /workers show them: is work waiting that
// nobody takes? One for each queue where it is, or one that says that all is well.
[[nodiscard]] std::vector<Finding> lag_findings(const Json& queues, const Json& workers);
// Of sleeping runs, as GET /runs/{id}?include=tasks shows them: can something wake each of them?
[[nodiscard]] Finding sleepers_finding(const std::vector<Json>& runs);
// Of the text of /metrics: do leases end because of their time and not because of the work?
[[nodiscard]] Finding leases_finding(const std::string& metrics);
// Of the same: are there claimable tasks that cannot be read?
[[nodiscard]] Finding damage_finding(const std::string& metrics);
// Of GET /v1/admin/nodes: does one lead, and do their clocks agree with the store's?
[[nodiscard]] Finding nodes_finding(const Json& nodes);
// Of GET /v1/admin/vitals: was the store's clock set?
[[nodiscard]] Finding clock_finding(const Json& vitals);
// Of the same: what has grown, and what keeps it from being cleaned up.
[[nodiscard]] std::vector<Finding> store_findings(const Json& vitals);

}  // namespace pawl::cli
