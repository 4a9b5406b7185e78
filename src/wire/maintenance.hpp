#pragma once
// Converts nodes, sweeps, verifications and store vitals to and from JSON.

#include "core/api/api.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

void write_node(Writer& out, const core::NodeStatus& node);
[[nodiscard]] core::NodeStatus read_node(ObjectReader& in);

// Reads a check by name; an unknown name is a mistake.
[[nodiscard]] core::RecoveryCheck read_check(ObjectReader& in);
[[nodiscard]] core::Sweep read_sweep_request(ObjectReader& in);
void write_sweep(Writer& out, const core::SweepResult& result);
[[nodiscard]] core::SweepResult read_sweep(ObjectReader& in);

void write_verification(Writer& out, const core::Verification& verification);
[[nodiscard]] core::Verification read_verification(ObjectReader& in);

void write_vitals(Writer& out, const core::StoreVitals& vitals);
[[nodiscard]] core::StoreVitals read_vitals(ObjectReader& in);

}  // namespace pawl::wire
