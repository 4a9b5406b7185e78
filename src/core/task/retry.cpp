#include "core/task/retry.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/canary.hpp"

namespace pawl::core {

bool is_used_up(const RetryPolicy& policy, int used) {
  return policy.max_attempts >= 0 && used >= policy.max_attempts;
}

bool is_non_retryable(const RetryPolicy& policy, const std::string& error_code) {
  return std::find(policy.non_retryable.begin(), policy.non_retryable.end(), error_code) !=
         policy.non_retryable.end();
}

Duration retry_delay(const RetryPolicy& policy, int n, double chance) {
  if (policy.initial_interval == Duration{0}) return Duration{0};  // 0 times infinity is not a number
  const double cap = static_cast<double>(policy.max_interval.count());
  const double grown = static_cast<double>(policy.initial_interval.count()) *
                       std::pow(policy.backoff, static_cast<double>(n - 1));
  const double base = std::isfinite(grown) && !planted(Canary::backoff_cap_ignored) ? std::min(grown, cap)
                      : std::isfinite(grown)                                        ? grown
                                                                                    : cap;
  if (planted(Canary::jitter_skipped)) chance = 0.5;
  const double spread = 1.0 + policy.jitter * (2.0 * chance - 1.0);
  return Duration{static_cast<std::int64_t>(base * spread)};
}

}  // namespace pawl::core
