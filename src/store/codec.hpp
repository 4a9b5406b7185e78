#pragma once
// How structs stand in text columns of both databases: JSON, absent for the default.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue.hpp"
#include "core/record.hpp"
#include "core/retry.hpp"
#include "core/task.hpp"

namespace pawl::store {

// What is stored of a task and cannot be read, or is missing, is left at its default and noted by the label
// core::kUnreadableLabel: one damaged row must not hold up its queue. Such a task is not claimed
// (core::is_damaged).
void note_unreadable(const char* what, core::TaskFacts& facts);

[[nodiscard]] std::optional<std::string> encode_retry(const core::RetryPolicy& policy);
void decode_retry(std::string_view text, core::TaskFacts& facts);

[[nodiscard]] std::optional<std::string> encode_labels(const core::Labels& labels);
void decode_labels(std::string_view text, core::TaskFacts& facts);

[[nodiscard]] std::string encode_error(const core::TaskError& error);
[[nodiscard]] core::TaskError decode_error(std::string_view text);

[[nodiscard]] std::optional<std::string> encode_type_limits(
    const std::map<std::string, std::int64_t>& limits);
// Of a queue whose limits cannot be read nothing is claimed: it is paused until they are set again.
void decode_type_limits(std::string_view text, core::QueueSettings& settings);

// What is stored of a task that takes the input of its run is a mark that no JSON is.
[[nodiscard]] std::optional<std::string_view> encode_task_payload(const core::TaskFacts& facts);
// `facts` has the stored text. A payload that was cut off or overwritten would spoil the whole answer to a
// claim. What is looked at are its ends: `verify` reads all of it.
void decode_task_payload(core::TaskFacts& facts);

// Whether its body is an object, as all of them are.
[[nodiscard]] bool is_readable(const core::Record& record);
// Throws StoreError of kind internal that names it, where it is not.
[[nodiscard]] core::Record checked(core::Record record);
// What a page shows of one that is damaged: that it is there. A page without it would look like the last one.
[[nodiscard]] core::Record shown(core::Record record);

}  // namespace pawl::store
