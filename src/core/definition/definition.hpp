#pragma once
// A workflow definition: a graph of tasks.
//
// Invariants of every parsed definition: ids are unique, every referenced name exists, there is no cycle, a
// compensation belongs to one task and is not part of the order, and a reference resolves to the run's input,
// the element of its for_each or a task that has ended before.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/task/retry.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

enum class NodeType : std::uint8_t { activity, compensation, sleep, signal, workflow };
inline constexpr int kNodeTypeCount = 5;
[[nodiscard]] std::string_view to_string(NodeType type);

enum class OnFailure : std::uint8_t { fail, compensate };
[[nodiscard]] std::string_view to_string(OnFailure on_failure);

// Templates have no white space between tokens; their key order and spelling are preserved.
struct DefinitionTask {
  std::string id = {};
  NodeType type = NodeType::activity;
  std::string activity = {};  // of an activity or a compensation: the type of its task
  std::string signal = {};    // of a signal: its name
  std::string workflow = {};  // of a workflow: the name of the child's definition
  std::vector<std::string> after = {};
  std::optional<std::string> compensate = {};
  RawJson input = {};  // empty: the run's input
  RawJson for_each = {};
  RawJson when = {};
  std::optional<RetryPolicy> retry = {};
  std::optional<Duration> timeout = {};
  std::optional<Duration> duration = {};  // of a sleep
  bool continue_on_error = false;
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  Labels labels = {};

  bool operator==(const DefinitionTask&) const = default;
};

struct Definition {
  std::string name = {};
  std::optional<Duration> deadline = {};
  OnFailure on_failure = OnFailure::fail;
  RawJson output = {};
  std::vector<DefinitionTask> tasks = {};

  bool operator==(const Definition&) const = default;
};

// Parses and checks a definition. Reports all mistakes together, each with its field and its line in the
// text. If `name` is not empty, the definition must have that name or none.
[[nodiscard]] Result<Definition> parse_definition(std::string_view json, const std::string& name = {});

// The definition as JSON, including defaults that depend on other fields. Parsing it returns an equal
// definition.
[[nodiscard]] std::string definition_text(const Definition& definition);
// SHA-256 of a canonical text: the order of keys, white space, defaults and the spelling of durations do not
// matter; the order of tasks does.
[[nodiscard]] std::string definition_hash(const Definition& definition);

}  // namespace pawl::core
