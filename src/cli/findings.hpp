#pragma once
// The doctor's checks: pure functions of the data to check, so that tests can show them each problem.

#include <string>
#include <vector>

#include "cli/doctor.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

// Takes the responses of GET /queues and GET /workers: is work waiting that no worker claims? Returns one
// finding for each such queue, or one finding that says that there is none.
[[nodiscard]] std::vector<Finding> lag_findings(const Json& queues, const Json& workers);
// Takes sleeping runs from GET /runs/{id}?include=tasks: can something wake each of them?
[[nodiscard]] Finding sleepers_finding(const std::vector<Json>& runs);
// Takes the text of /metrics: do too many leases expire instead of ending with their work?
[[nodiscard]] Finding leases_finding(const std::string& metrics);
// Takes the text of /metrics: are there claimable tasks that cannot be read?
[[nodiscard]] Finding damage_finding(const std::string& metrics);
// Takes the response of GET /v1/admin/nodes: does a node lead, and do the nodes' clocks agree with the
// store's?
[[nodiscard]] Finding nodes_finding(const Json& nodes);
// Takes the response of GET /v1/admin/vitals: was the store's clock set?
[[nodiscard]] Finding clock_finding(const Json& vitals);
// Takes the same response: what has grown, and what prevents its cleanup?
[[nodiscard]] std::vector<Finding> store_findings(const Json& vitals);

}  // namespace pawl::cli
