#pragma once
// The settings of a namespace; fields that are not set have the defaults. A namespace needs no creation.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/records/record.hpp"

namespace pawl::core {

struct NamespaceSettings {
  bool strict_types = false;                         // only declared or registered types can be enqueued
  std::optional<std::int64_t> payload_max = {};      // bytes; absent: the server's limit
  std::optional<Duration> retention_completed = {};  // absent: the server's
  std::optional<Duration> retention_failed = {};     // of failed, dead_letter and cancelled
  std::optional<Duration> retention_audit = {};
  std::optional<Duration> retention_dead_letter = {};      // absent: as failed
  std::optional<Duration> retention_cancelled = {};        // the same
  std::optional<Duration> retention_runs = {};             // of ended runs, with all their rows
  std::optional<std::int64_t> retention_checkpoints = {};  // how many each owner keeps
  std::map<std::string, Duration> retention_queues = {};   // of tasks in these queues, in any final state

  bool operator==(const NamespaceSettings&) const = default;
};

// An absent field is left unchanged; an inner null clears it.
struct NamespacePatch {
  std::optional<bool> strict_types = {};
  std::optional<std::optional<std::int64_t>> payload_max = {};
  std::optional<std::optional<Duration>> retention_completed = {};
  std::optional<std::optional<Duration>> retention_failed = {};
  std::optional<std::optional<Duration>> retention_audit = {};
  std::optional<std::optional<Duration>> retention_dead_letter = {};
  std::optional<std::optional<Duration>> retention_cancelled = {};
  std::optional<std::optional<Duration>> retention_runs = {};
  std::optional<std::optional<std::int64_t>> retention_checkpoints = {};
  std::optional<std::map<std::string, Duration>> retention_queues = {};  // replaces the whole map
};

struct PutNamespace {
  std::string ns = "default";
  NamespacePatch patch = {};
  Actor by = {};
};

[[nodiscard]] RecordRef namespace_ref(const std::string& ns);
[[nodiscard]] Status check(const PutNamespace& request);
[[nodiscard]] NamespaceSettings namespace_settings_from(const std::optional<Record>& record);
[[nodiscard]] NamespaceSettings namespace_settings_from(const RawJson& body);
[[nodiscard]] Result<RecordDecision> decide_put_namespace(const PutNamespace& request, FoundRecords found,
                                                          TimePoint now);

}  // namespace pawl::core
