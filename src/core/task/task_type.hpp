#pragma once
// Declared task types: defaults, and the schema that a payload must match to be enqueued. The schema is a
// subset of JSON Schema: type, properties, required, items, enum, minimum, maximum.

#include <optional>
#include <string>
#include <vector>

#include "core/json/schema.hpp"
#include "core/records/record.hpp"
#include "core/task/command.hpp"
#include "core/task/retry.hpp"

namespace pawl::core {

struct TaskType {
  std::string name = {};
  std::vector<std::string> required = {};  // fields that the payload, then an object, must have
  RawJson schema = {};
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<RetryPolicy> retry = {};
  std::optional<Duration> timeout = {};
  std::optional<Duration> lease = {};

  bool operator==(const TaskType&) const = default;
};

struct PutTaskType {
  std::string ns = "default";
  TaskType type = {};
  Actor by = {};
};
struct DeleteTaskType {
  std::string ns = "default";
  std::string name = {};
  Actor by = {};
};

[[nodiscard]] RecordRef task_type_ref(const std::string& ns, const std::string& name);
[[nodiscard]] Status check(const PutTaskType& request);
[[nodiscard]] Status check(const DeleteTaskType& request);

// A declared type in the form that enqueues and runs use: its schema is parsed once, and its text is dropped.
struct DeclaredType {
  explicit DeclaredType(TaskType declared);

  TaskType type;
  Schema payload;
  std::size_t schema_bytes = 0;

  // The problem names the path of the field, such as payload.items[3].price.
  [[nodiscard]] Status check_payload(const RawJson& value) const { return payload.check("payload", value); }
};

// Fills in the type's defaults for fields that the caller did not give.
void fill_in(const TaskType& type, TaskSpec& spec);

[[nodiscard]] TaskType task_type_from(const RawJson& body);
[[nodiscard]] Result<RecordDecision> decide_put_type(const PutTaskType& request, FoundRecords found,
                                                     TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_delete_type(const DeleteTaskType& request, FoundRecords found,
                                                        TimePoint now);

}  // namespace pawl::core
