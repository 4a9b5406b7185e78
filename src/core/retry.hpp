#pragma once
// When a failed attempt is tried again.

#include <string>
#include <vector>

#include "core/time.hpp"

namespace pawl::core {

struct RetryPolicy {
  int max_attempts = 4;  // counts the first try; below 0: for ever
  Duration initial_interval = std::chrono::seconds{1};
  double backoff = 2.0;
  Duration max_interval = std::chrono::seconds{60};
  double jitter = 0.2;
  std::vector<std::string> non_retryable = {};  // error codes that end the task at once

  bool operator==(const RetryPolicy&) const = default;
};

// Whether `used` attempts are all that the policy grants.
[[nodiscard]] bool is_used_up(const RetryPolicy& policy, int used);

[[nodiscard]] bool is_non_retryable(const RetryPolicy& policy, const std::string& error_code);

// The wait after the n-th failed attempt (n from 1): min(initial * backoff^(n-1), max), spread by ±jitter.
// The spread comes after the cap, or all that reached the cap would return at one moment. `chance` is in [0,
// 1).
[[nodiscard]] Duration retry_delay(const RetryPolicy& policy, int n, double chance);

}  // namespace pawl::core
