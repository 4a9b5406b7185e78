#pragma once
// Reads responses about runs, for clients. Fields that responses omit (remaining work, next compensation) are
// not set.

#include "core/api/run_api.hpp"
#include "wire/reader.hpp"

namespace pawl::wire {

[[nodiscard]] core::Run read_run(ObjectReader& in);
[[nodiscard]] core::RunStarted read_run_started(ObjectReader& in);
// From a run that was requested with its tasks; in the order of their keys.
[[nodiscard]] std::vector<core::Node> read_run_tasks(ObjectReader& in);
[[nodiscard]] core::RunEvent read_run_event(ObjectReader& in);
[[nodiscard]] core::RunReplay read_replay(ObjectReader& in);

}  // namespace pawl::wire
