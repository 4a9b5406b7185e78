#pragma once
// Maintenance of a store on an administrator's request: a recovery check, and a verification of the
// invariants.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/audit.hpp"

namespace pawl::core {

// The checks that recovery repeats automatically.
enum class RecoveryCheck : std::uint8_t { leases, timeouts, stuck, deadlines, workers, retention };
inline constexpr std::array<std::string_view, 6> kRecoveryChecks{"leases",    "timeouts", "stuck",
                                                                 "deadlines", "workers",  "retention"};
[[nodiscard]] std::string_view to_string(RecoveryCheck check);
[[nodiscard]] std::optional<RecoveryCheck> recovery_check_from(std::string_view name);

struct Sweep {
  RecoveryCheck check = RecoveryCheck::leases;
  bool dry_run = false;  // only for retention: reports the expired rows and changes nothing
  Actor by = {};
};
// Of retention: how many rows of a kind (tasks, runs, audit, idempotency, node) were erased, or would be.
struct ErasedKind {
  std::string ns = {};  // empty for rows without a namespace
  std::string kind = {};
  int count = 0;

  bool operator==(const ErasedKind&) const = default;
};
struct SweepResult {
  RecoveryCheck check = RecoveryCheck::leases;
  int examined = 0;  // due rows
  int changed = 0;
  std::vector<ErasedKind> erased = {};

  bool operator==(const SweepResult&) const = default;
};

struct Violation {
  std::string object = {};  // such as the id of a task
  std::string message = {};

  bool operator==(const Violation&) const = default;
};
struct Verdict {
  std::string id = {};  // such as I05; docs/guides/verify.md describes each check
  std::int64_t examined = 0;
  std::vector<Violation> violations = {};

  bool operator==(const Verdict&) const = default;
};
struct Verification {
  std::vector<Verdict> checks = {};

  [[nodiscard]] bool is_ok() const;
  bool operator==(const Verification&) const = default;
};

}  // namespace pawl::core
