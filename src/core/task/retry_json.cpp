#include "core/task/retry_json.hpp"

#include <fmt/format.h>

#include "core/base/limits.hpp"

namespace pawl::core {

void read_max_retries(ObjectReader& in, RetryPolicy& retry, bool& is_given) {
  const auto retries = in.optional_integer("max_retries");
  if (!retries) return;
  if (is_given) in.mistake("max_retries", "cannot be given together with max_attempts");
  is_given = true;
  if (*retries < -1 || *retries > kAttemptsMax) {
    in.mistake("max_retries", fmt::format("must be from -1 to {}", kAttemptsMax));
  } else {
    retry.max_attempts = *retries < 0 ? -1 : static_cast<int>(*retries) + 1;
  }
}

void read_retry(ObjectReader& in, RetryPolicy& retry, bool& is_given) {
  is_given = in.has("max_attempts") && !in.is_null("max_attempts");
  narrow_into(in, "max_attempts", retry.max_attempts);
  read_max_retries(in, retry, is_given);
  retry.initial_interval = in.optional_duration("initial_interval").value_or(retry.initial_interval);
  retry.backoff = in.optional_number("backoff").value_or(retry.backoff);
  retry.max_interval = in.optional_duration("max_interval").value_or(retry.max_interval);
  retry.jitter = in.optional_number("jitter").value_or(retry.jitter);
  retry.non_retryable = in.optional_texts("non_retryable").value_or(std::vector<std::string>{});
}

RetryPolicy read_retry_policy(ObjectReader& in) {
  RetryPolicy retry;
  bool is_given = false;
  read_retry(in, retry, is_given);
  return retry;
}

void write_retry(Writer& out, const RetryPolicy& retry) {
  out.begin_object()
      .field("max_attempts", retry.max_attempts)
      .field("initial_interval", retry.initial_interval)
      .field("backoff", retry.backoff)
      .field("max_interval", retry.max_interval)
      .field("jitter", retry.jitter);
  out.key("non_retryable").begin_array();
  for (const std::string& code : retry.non_retryable) out.value(code);
  out.end_array().end_object();
}

}  // namespace pawl::core
