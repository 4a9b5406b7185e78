#pragma once
// Every limit of the engine on one page. What a limit refuses is answered with the field's name and nothing
// is stored.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/time.hpp"

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
inline constexpr std::size_t kStepWritesMax = 1'000;  // of bodies, in one call
inline constexpr std::size_t kClaimTasksMax = 1'000;
inline constexpr std::size_t kClaimPayloadBytesMax = 16U << 20U;  // a claim gets no further task beyond it
inline constexpr std::size_t kPagePayloadBytesMax = 16U << 20U;   // the same of a page of tasks
inline constexpr std::size_t kClaimQueuesMax = 100;
inline constexpr std::size_t kClaimTypesMax = 1'000;
inline constexpr std::size_t kLabelsMax = 64;
inline constexpr std::size_t kErrorCodeCharactersMax = 255;
inline constexpr std::size_t kErrorMessageBytesMax = 64U << 10U;
inline constexpr std::size_t kNonRetryableMax = 100;
inline constexpr std::int32_t kPriorityMin = -32'768;
inline constexpr std::int32_t kPriorityMax = 32'767;
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
inline constexpr std::size_t kAfterMax = 1'000;        // tasks that one of an open run waits for
inline constexpr std::size_t kUndosMax = 1'000;        // that one write of a body registers
inline constexpr std::size_t kFanOutMax = 10'000;      // tasks that one for_each makes
inline constexpr std::int64_t kCheckpointsKept = 100;  // for each owner, where nothing else is set
inline constexpr std::int64_t kCheckpointsKeptMax = 1'000'000;
inline constexpr std::size_t kRetentionQueuesMax = 1'000;
// The steps that a claimed body is handed, and that one read of its history returns. Claims that do not ask
// for pages carry up to kMemoNodesMax of each body.
inline constexpr std::size_t kMemoPageNodes = 1'000;
inline constexpr std::size_t kMemoPageNodesMin = 50;
inline constexpr std::size_t kMemoPageBytes = 1U << 20U;
inline constexpr std::size_t kMemoPageBytesMin = 64U << 10U;
inline constexpr std::size_t kMemoNodesMax = 100'000;
inline constexpr std::size_t kClaimMemoNodesMax = 10'000;      // of all bodies of a claim that asks for pages
inline constexpr std::size_t kClaimMemoBytesMax = 16U << 20U;  // the same
inline constexpr std::size_t kClaimWholeMemoBytesMax = 64U << 20U;  // of all bodies of a claim that does not
inline constexpr std::size_t kEvaluationBytesMax = 32U << 20U;      // read by the references of one template

// What one run may cost, where the configuration does not say: core/run_bounds.hpp.
inline constexpr int kChildDepthMax = 64;
inline constexpr int kChildDepthMost = 1'000;  // that can be configured
inline constexpr std::size_t kRunRenderedBytes = 64U << 20U;
inline constexpr std::size_t kRunScannedBytes = 1U << 30U;
inline constexpr std::int64_t kRunNodesMax = 50'000;
// From this size on the elements of a for_each, and other tasks, refer to the input of their run and have no
// copy.
inline constexpr std::size_t kSharedInputBytes = 1U << 10U;
inline constexpr std::size_t kSharedInputBytesOfOne = 64U << 10U;
// What the decisions of one commit may do, the rest of which later commits do.
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

// A run that nothing happens to for so long while it is running is looked into.
inline constexpr Duration kStuckAfter = std::chrono::minutes{30};

// When a run that could not be moved on is tried again, how often it may lack memory until it is parked, and
// how many runs a node remembers that it could not even park.
inline constexpr Duration kParkedFor = std::chrono::minutes{10};
inline constexpr int kMemoryFailuresMax = 3;
inline constexpr std::size_t kUnmovedRunsMax = 10'000;
inline constexpr std::size_t kParkReasonBytesMax = 1'000;

// How far the row of a run may lag behind its log.
inline constexpr std::int64_t kLagEventsMax = 100;
inline constexpr Duration kLagMax = std::chrono::minutes{1};

// How much the commit loop takes into one transaction, and how much may wait for it.
inline constexpr std::size_t kGroupTasksMax = 1'000;
inline constexpr std::size_t kQueuedCommandsMax = 20'000;
inline constexpr std::size_t kQueuedTasksMax = 200'000;
inline constexpr std::size_t kWaitingClaimsMax = 100'000;

}  // namespace pawl::core
