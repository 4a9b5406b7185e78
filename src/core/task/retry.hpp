#pragma once
// Retry policies: when a failed attempt is retried.

#include <string>
#include <vector>

#include "core/base/time.hpp"

namespace pawl::core {

struct RetryPolicy {
  int max_attempts = 4;  // includes the first attempt; below 0: no limit
  Duration initial_interval = std::chrono::seconds{1};
  double backoff = 2.0;
  Duration max_interval = std::chrono::seconds{60};
  double jitter = 0.2;
  std::vector<std::string> non_retryable = {};  // error codes that end the task immediately

  bool operator==(const RetryPolicy&) const = default;
};

// Whether `used` attempts exhaust the policy.
[[nodiscard]] bool is_used_up(const RetryPolicy& policy, int used);

[[nodiscard]] bool is_non_retryable(const RetryPolicy& policy, const std::string& error_code);

// The delay after the n-th failed attempt (n from 1): min(initial * backoff^(n-1), max), spread by ±jitter.
// The spread is applied after the cap; otherwise all retries at the cap would happen at the same moment.
// `chance` is in [0, 1).
[[nodiscard]] Duration retry_delay(const RetryPolicy& policy, int n, double chance);

}  // namespace pawl::core
