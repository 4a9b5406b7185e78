#pragma once
// All limits of the engine. A request that exceeds one is rejected with the field's name, and nothing is
// stored.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/base/time.hpp"

namespace pawl::core {

inline constexpr std::string_view kQueueDefault = "default";

inline constexpr std::size_t kNamespaceBytesMax = 63;
inline constexpr std::size_t kNameCharactersMax = 255;  // queue, type, workflow, step, node, worker
inline constexpr std::size_t kKeyCharactersMax = 512;   // entity, run, idempotency, fairness and lease keys
inline constexpr std::size_t kPayloadBytesWarn = 1U << 20U;
inline constexpr std::size_t kPayloadBytesMax = 2U << 20U;
inline constexpr int kJsonDepthMax = 64;
inline constexpr std::size_t kBatchTasksMax = 10'000;
inline constexpr std::size_t kBatchBytesMax = 16U << 20U;
inline constexpr std::size_t kReportsMax = 10'000;
inline constexpr std::size_t kStepWritesMax = 1'000;  // of workflow bodies, in one call
inline constexpr std::size_t kClaimTasksMax = 1'000;
inline constexpr std::size_t kClaimPayloadBytesMax = 16U << 20U;  // beyond it a claim gets no further task
inline constexpr std::size_t kPagePayloadBytesMax = 16U << 20U;   // the same for a page of tasks
inline constexpr std::size_t kClaimQueuesMax = 100;
inline constexpr std::size_t kClaimTypesMax = 1'000;
inline constexpr std::size_t kLabelsMax = 64;
inline constexpr std::size_t kErrorCodeCharactersMax = 255;
inline constexpr std::size_t kErrorMessageBytesMax = 64U << 10U;
inline constexpr std::size_t kNonRetryableMax = 100;
inline constexpr std::int32_t kPriorityMin = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kPriorityMax = std::numeric_limits<std::int32_t>::max();
// For tasks with a fairness key: each of these priorities has its own lane.
inline constexpr std::int32_t kSharedPriorityMin = -32'768;
inline constexpr std::int32_t kSharedPriorityMax = 32'767;
inline constexpr double kFairnessWeightMin = 0.001;
inline constexpr double kFairnessWeightMax = 1'000;
inline constexpr int kAttemptsMax = 1'000'000;
inline constexpr double kBackoffMax = 1'000;
inline constexpr int kPageMax = 500;
inline constexpr int kPageDefault = 50;
inline constexpr int kBulkTasksMax = 10'000;
inline constexpr std::int64_t kConcurrencyMax = 1'000'000;
inline constexpr std::int64_t kRateLimitMax = 1'000'000;
inline constexpr std::size_t kDefinitionBytesMax = 4U << 20U;
inline constexpr std::size_t kDefinitionTasksMax = 10'000;
inline constexpr std::size_t kAfterMax = 1'000;        // predecessors of one task of an open run
inline constexpr std::size_t kUndosMax = 1'000;        // registered by one write of a workflow body
inline constexpr std::size_t kFanOutMax = 10'000;      // tasks of one for_each
inline constexpr std::int64_t kCheckpointsKept = 100;  // for each owner, unless configured otherwise
inline constexpr std::int64_t kCheckpointsKeptMax = 1'000'000;
inline constexpr std::size_t kRetentionQueuesMax = 1'000;
// The steps that a claim returns with a workflow body, and that one page of its history holds. Claims without
// pages carry up to kMemoNodesMax steps of each body.
inline constexpr std::size_t kMemoPageNodes = 1'000;
inline constexpr std::size_t kMemoPageNodesMin = 50;
inline constexpr std::size_t kMemoPageBytes = 1U << 20U;
inline constexpr std::size_t kMemoPageBytesMin = 64U << 10U;
inline constexpr std::size_t kMemoNodesMax = 100'000;
inline constexpr std::size_t kClaimMemoNodesMax = 10'000;           // of all bodies of a claim with pages
inline constexpr std::size_t kClaimMemoBytesMax = 16U << 20U;       // the same
inline constexpr std::size_t kClaimWholeMemoBytesMax = 64U << 20U;  // of all bodies of a claim without pages
inline constexpr std::size_t kEvaluationBytesMax = 32U << 20U;      // read by the references of one template

// Bounds on what one run may cost, unless configured otherwise: core/run/run_bounds.hpp.
inline constexpr int kChildDepthMax = 64;
inline constexpr int kChildDepthMost = 1'000;  // the highest value that can be configured
inline constexpr std::size_t kRunRenderedBytes = 64U << 20U;
inline constexpr std::size_t kRunScannedBytes = 1U << 30U;
inline constexpr std::int64_t kRunNodesMax = 50'000;
// From this size on, the elements of a for_each, and other tasks, refer to the input of their run instead of
// copying it.
inline constexpr std::size_t kSharedInputBytes = 1U << 10U;
inline constexpr std::size_t kSharedInputBytesOfOne = 64U << 10U;
// Bounds on the decisions of one commit; later commits do the rest.
inline constexpr std::int64_t kCommitNodesBegun = 2'000;
inline constexpr std::int64_t kCommitElements = 20'000;
inline constexpr std::int64_t kCommitChildren = 100;
inline constexpr std::int64_t kCommitRenderedBytes = 8LL << 20U;
inline constexpr std::int64_t kCommitScannedBytes = 64LL << 20U;
inline constexpr std::int64_t kCommitStoppedTasks = 10'000;
inline constexpr std::int64_t kCommitStoppedChildren = 100;

inline constexpr Duration kLeaseMin = std::chrono::milliseconds{10};
inline constexpr Duration kLeaseMax = std::chrono::hours{24};
inline constexpr Duration kLeaseDefault = std::chrono::seconds{30};
inline constexpr Duration kClaimWaitMax = std::chrono::seconds{60};
inline constexpr Duration kTimeoutMin = std::chrono::milliseconds{1};

// A running run without any event for this long is examined.
inline constexpr Duration kStuckAfter = std::chrono::minutes{30};

// The delay before a run that could not be moved on is retried, how often it may run out of memory before it
// is parked, and for how many runs a node remembers that it could not even park them.
inline constexpr Duration kParkedFor = std::chrono::minutes{10};
inline constexpr int kMemoryFailuresMax = 3;
inline constexpr std::size_t kUnmovedRunsMax = 10'000;
inline constexpr std::size_t kParkReasonBytesMax = 1'000;

// How far the row of a run may lag behind its event log.
inline constexpr std::int64_t kLagEventsMax = 100;
inline constexpr Duration kLagMax = std::chrono::minutes{1};

// How much the commit loop puts into one transaction, and how much may be queued for it.
inline constexpr std::size_t kGroupTasksMax = 1'000;
inline constexpr std::size_t kQueuedCommandsMax = 20'000;
inline constexpr std::size_t kQueuedTasksMax = 200'000;
inline constexpr std::size_t kWaitingClaimsMax = 100'000;

}  // namespace pawl::core
