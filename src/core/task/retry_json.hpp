#pragma once
// Retry policies as JSON: in tasks, declared types and workflow definitions.

#include "core/json/json_reader.hpp"
#include "core/json/json_writer.hpp"
#include "core/task/retry.hpp"

namespace pawl::core {

// Absent fields are left unchanged. `is_given` receives whether the number of attempts was given.
void read_retry(ObjectReader& in, RetryPolicy& retry, bool& is_given);
[[nodiscard]] RetryPolicy read_retry_policy(ObjectReader& in);

// `max_retries` is shorthand for one more attempt; -1 in either means no limit. Rejected if `is_given`.
void read_max_retries(ObjectReader& in, RetryPolicy& retry, bool& is_given);

void write_retry(Writer& out, const RetryPolicy& retry);

}  // namespace pawl::core
