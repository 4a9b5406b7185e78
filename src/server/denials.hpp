#pragma once
// Limits how many audit entries denied calls produce. The first denial of a kind is written immediately;
// further ones within an interval are counted and written as one entry with their count when the interval
// ends. A kind is the address of an unauthenticated caller, or the token, namespace and route of an
// authenticated one.
//
// The number of kinds is limited, which bounds memory and audit entries; denials beyond the limit are counted
// together. Killing the process loses counts that are not yet written. Thread-safe.

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/env.hpp"
#include "core/records/audit.hpp"
#include "core/task/command.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class Denials {
 public:
  struct Caps {
    core::Duration interval = std::chrono::minutes{1};
    std::size_t kinds = 256;
    std::size_t kinds_of_one_token = 16;
  };
  // Submits entries to the audit without waiting.
  using Write = std::function<void(std::vector<core::AuditEntry>)>;

  // Work scheduled with `later` must not run after this object is destroyed.
  Denials(core::Clock& clock, Later later, Write write, const Caps& caps)
      : clock_(clock), later_(std::move(later)), write_(std::move(write)), caps_(caps) {}
  Denials(core::Clock& clock, Later later, Write write)
      : Denials(clock, std::move(later), std::move(write), Caps{}) {}

  // The entry to write now; none if the denial was only counted. `network`: the caller's.
  [[nodiscard]] std::optional<core::AuditEntry> note(core::AuditEntry entry, const std::string& network);
  // Writes all counts immediately.
  void flush();

 private:
  struct Kind {
    std::string token = {};      // whose limit the kind counts against
    core::AuditEntry last = {};  // last counted denial
    std::string network = {};
    std::int64_t count = 0;  // since the last written entry
    core::MonotonicTime ends_at = {};
  };

  // These need the lock.
  [[nodiscard]] std::string name_of(const core::AuditEntry& entry, const std::string& network);
  void forget(const std::string& token);
  [[nodiscard]] core::AuditEntry counted(const Kind& kind) const;
  void write_ended();
  void write_later();

  core::Clock& clock_;
  Later later_;
  Write write_;
  const Caps caps_;
  std::mutex mutex_;
  std::map<std::string, Kind> kinds_;
  std::map<std::string, std::size_t> kinds_of_token_;
  bool has_timer_ = false;
};

// A command that only writes audit entries.
[[nodiscard]] core::Command audit_command(std::vector<core::AuditEntry> entries);

}  // namespace pawl::server
