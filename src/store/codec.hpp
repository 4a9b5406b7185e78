#pragma once
// How structs stand in text columns of both databases: JSON, absent for the default. A value that cannot be
// read (a row written by something else) throws StoreError of kind internal that names it.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue.hpp"
#include "core/retry.hpp"
#include "core/task.hpp"

namespace pawl::store {

[[nodiscard]] std::optional<std::string> encode_retry(const core::RetryPolicy& policy);
[[nodiscard]] core::RetryPolicy decode_retry(std::string_view text);

[[nodiscard]] std::optional<std::string> encode_labels(const core::Labels& labels);
[[nodiscard]] core::Labels decode_labels(std::string_view text);

[[nodiscard]] std::string encode_error(const core::TaskError& error);
[[nodiscard]] core::TaskError decode_error(std::string_view text);

[[nodiscard]] std::optional<std::string> encode_type_limits(
    const std::map<std::string, std::int64_t>& limits);
[[nodiscard]] std::map<std::string, std::int64_t> decode_type_limits(std::string_view text);

}  // namespace pawl::store
