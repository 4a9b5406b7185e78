#pragma once
// The options of LocalApi.

#include <cstddef>
#include <cstdint>

#include "core/base/limits.hpp"
#include "core/records/retention.hpp"

namespace pawl::runtime {

struct LocalApiOptions {
  core::Duration worker_timeout = core::kWorkerTimeout;
  std::size_t payload_max = core::kPayloadBytesMax;  // of a task; a namespace may have a lower limit
  core::Duration stuck_after = core::kStuckAfter;
  core::Retention retention = {};
  std::int64_t checkpoints_kept = core::kCheckpointsKept;  // per owner; a namespace may override it
};

}  // namespace pawl::runtime
