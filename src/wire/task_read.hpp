#pragma once
// Reads responses about tasks and queues, for clients. Unknown fields are ignored, so that an older client
// can talk to a newer server.

#include "core/api/api.hpp"
#include "wire/reader.hpp"

namespace pawl::wire {

[[nodiscard]] core::Task read_task(ObjectReader& in);
[[nodiscard]] core::AttemptView read_attempt(ObjectReader& in);
[[nodiscard]] core::Result<core::ReportAnswer> read_report_answer(ObjectReader& in);
[[nodiscard]] core::Queue read_queue(ObjectReader& in);
[[nodiscard]] core::Problem read_problem(ObjectReader& in);

}  // namespace pawl::wire
