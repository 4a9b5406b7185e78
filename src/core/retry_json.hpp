#pragma once
// Retry policies as JSON: in tasks, in declared types and in definitions of workflows.

#include "core/json_reader.hpp"
#include "core/json_writer.hpp"
#include "core/retry.hpp"

namespace pawl::core {

// What is not given stays as it is. `is_given` tells whether the number of attempts was.
void read_retry(ObjectReader& in, RetryPolicy& retry, bool& is_given);
[[nodiscard]] RetryPolicy read_retry_policy(ObjectReader& in);

// `max_retries` is sugar for one attempt more; -1 in either means for ever. Refused if `is_given`.
void read_max_retries(ObjectReader& in, RetryPolicy& retry, bool& is_given);

void write_retry(Writer& out, const RetryPolicy& retry);

}  // namespace pawl::core
