#pragma once
// How structs stand in text columns of both databases: JSON, absent for the default. Limits that cannot be
// read (a row written by something else) throw StoreError of kind internal that names them.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue.hpp"
#include "core/retry.hpp"
#include "core/task.hpp"

namespace pawl::store {

[[nodiscard]] std::optional<std::string> encode_retry(const core::RetryPolicy& policy);
// What is stored of a task and cannot be read is left as everybody has it, and told by the label
// core::kUnreadableLabel: one damaged row must not hold up its queue.
void decode_retry(std::string_view text, core::TaskFacts& facts);

[[nodiscard]] std::optional<std::string> encode_labels(const core::Labels& labels);
void decode_labels(std::string_view text, core::TaskFacts& facts);

[[nodiscard]] std::string encode_error(const core::TaskError& error);
[[nodiscard]] core::TaskError decode_error(std::string_view text);

[[nodiscard]] std::optional<std::string> encode_type_limits(
    const std::map<std::string, std::int64_t>& limits);
[[nodiscard]] std::map<std::string, std::int64_t> decode_type_limits(std::string_view text);

}  // namespace pawl::store
