#pragma once
// What is set for a namespace; one that nothing was set for has the defaults. A namespace needs no creation.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/record.hpp"

namespace pawl::core {

struct NamespaceSettings {
  bool strict_types = false;                     // only types that are declared or registered are enqueued
  std::optional<std::int64_t> payload_max = {};  // bytes; none: the server's limit
  std::optional<Duration> retention_completed = {};  // none: the server's
  std::optional<Duration> retention_failed = {};     // of failed, dead_letter and cancelled
  std::optional<Duration> retention_audit = {};
  std::optional<Duration> retention_dead_letter = {};  // none: as failed
  std::optional<Duration> retention_cancelled = {};    // the same
  std::optional<Duration> retention_runs = {};         // of runs that have ended, with all they consist of
  std::optional<std::int64_t> retention_checkpoints = {};  // how many for each owner
  std::map<std::string, Duration> retention_queues = {};   // tasks of these, whatever their state

  bool operator==(const NamespaceSettings&) const = default;
};

// What is absent stays as it is; an inner null clears.
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
  std::optional<std::map<std::string, Duration>> retention_queues = {};  // all of them at once
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
