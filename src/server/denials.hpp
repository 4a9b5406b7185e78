#pragma once
// Denied calls on their way into the audit. The first of a kind is written when it is denied; those that
// follow within an interval are counted, and written as one entry with their count when it ends. A kind is
// the address of an unknown caller, or the token, namespace and route of a known one.
//
// Always: so many kinds at once and no more, so that memory and the audit are bounded; what is above that is
// counted together. A count that is not written yet is lost when the process is killed. Any thread.

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/audit.hpp"
#include "core/command.hpp"
#include "core/env.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class Denials {
 public:
  struct Caps {
    core::Duration interval = std::chrono::minutes{1};
    std::size_t kinds = 256;
    std::size_t kinds_of_one_token = 16;
  };
  // Hands entries to the audit and does not wait.
  using Write = std::function<void(std::vector<core::AuditEntry>)>;

  // Work that was put off must not run after this has ended.
  Denials(core::Clock& clock, Later later, Write write, const Caps& caps)
      : clock_(clock), later_(std::move(later)), write_(std::move(write)), caps_(caps) {}
  Denials(core::Clock& clock, Later later, Write write)
      : Denials(clock, std::move(later), std::move(write), Caps{}) {}

  // The entry that is to be written now; none where it was counted. `network`: of the caller.
  [[nodiscard]] std::optional<core::AuditEntry> note(core::AuditEntry entry, const std::string& network);
  // Writes all counts now.
  void flush();

 private:
  struct Kind {
    std::string token = {};      // whose kinds it counts among
    core::AuditEntry last = {};  // of those that were counted
    std::string network = {};
    std::int64_t count = 0;  // since the last entry was written
    core::MonotonicTime ends_at = {};
  };

  // With the lock.
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

// Changes nothing but the audit.
[[nodiscard]] core::Command audit_command(std::vector<core::AuditEntry> entries);

}  // namespace pawl::server
