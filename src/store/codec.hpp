#pragma once
// Encodes structs as text columns for both databases: JSON that omits default values.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/queue/queue.hpp"
#include "core/records/record.hpp"
#include "core/task/retry.hpp"
#include "core/task/task.hpp"

namespace pawl::store {

// A part of a stored task that is unreadable or missing keeps its default, and the label
// core::kUnreadableLabel names it: one damaged row must not block its queue. Such a task is not claimed
// (core::is_damaged).
void note_unreadable(const char* what, core::TaskFacts& facts);

// The column `retry`: the retry policy and the trace context, if the task has one. Null for tasks with
// neither. Older programs ignore fields that they do not know.
[[nodiscard]] std::optional<std::string> encode_retry(const core::TaskFacts& facts);
void decode_retry(std::string_view text, core::TaskFacts& facts);

[[nodiscard]] std::optional<std::string> encode_labels(const core::Labels& labels);
void decode_labels(std::string_view text, core::TaskFacts& facts);

[[nodiscard]] std::string encode_error(const core::TaskError& error);
[[nodiscard]] core::TaskError decode_error(std::string_view text);

[[nodiscard]] std::optional<std::string> encode_type_limits(
    const std::map<std::string, std::int64_t>& limits);
// A queue with unreadable limits is paused until they are set again, so that nothing is claimed from it.
void decode_type_limits(std::string_view text, core::QueueSettings& settings);

// A task that takes its run's input is stored with a marker that is not valid JSON.
[[nodiscard]] std::optional<std::string_view> encode_task_payload(const core::TaskFacts& facts);
// `facts` has the stored text. A truncated or overwritten payload would corrupt the whole response to a
// claim. Only its ends are checked here; `verify` reads all of it.
void decode_task_payload(core::TaskFacts& facts);

// Whether the body is a JSON object.
[[nodiscard]] bool is_readable(const core::Record& record);
// Throws StoreError of kind internal, which names the record, if it is not readable.
[[nodiscard]] core::Record checked(core::Record record);
// A damaged record gets an empty body, so that lists still show it. A page that lacked it would look like the
// last page.
[[nodiscard]] core::Record shown(core::Record record);

}  // namespace pawl::store
