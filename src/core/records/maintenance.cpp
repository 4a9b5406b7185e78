#include "core/records/maintenance.hpp"

#include <algorithm>

namespace pawl::core {

std::string_view to_string(RecoveryCheck check) {
  return kRecoveryChecks.at(static_cast<std::size_t>(check));
}

std::optional<RecoveryCheck> recovery_check_from(std::string_view name) {
  const auto found = std::find(kRecoveryChecks.begin(), kRecoveryChecks.end(), name);
  if (found == kRecoveryChecks.end()) return std::nullopt;
  return static_cast<RecoveryCheck>(found - kRecoveryChecks.begin());
}

bool Verification::is_ok() const {
  return std::all_of(checks.begin(), checks.end(), [](const Verdict& one) { return one.violations.empty(); });
}

}  // namespace pawl::core
