#pragma once
// The client's side of run.hpp: answers as the server writes them. What is not shown (how much is left to
// do, what would be undone first) is not known here.

#include "core/run_api.hpp"
#include "wire/reader.hpp"

namespace pawl::wire {

[[nodiscard]] core::Run read_run(ObjectReader& in);
[[nodiscard]] core::RunStarted read_run_started(ObjectReader& in);
// Of a run that was asked for with its tasks; in the order of their keys.
[[nodiscard]] std::vector<core::Node> read_run_tasks(ObjectReader& in);
[[nodiscard]] core::RunEvent read_run_event(ObjectReader& in);
[[nodiscard]] core::RunReplay read_replay(ObjectReader& in);

}  // namespace pawl::wire
