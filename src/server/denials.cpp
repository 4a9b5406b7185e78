#include "server/denials.hpp"

#include <utility>

#include "core/json/json.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

// No address, token or route contains a line break.
constexpr std::string_view kOthers = "\nothers";

core::RawJson detail_of(const std::string& network, std::int64_t count, core::Duration within) {
  wire::Writer out;
  out.begin_object();
  if (!network.empty()) out.field("address", network);
  if (count > 0) out.field("count", count).field("within", core::format_duration(within));
  return {out.end_object().take()};
}

}  // namespace

// Denials beyond the limit of kinds count under the token's overflow kind, or under one overflow kind for
// all.
std::string Denials::name_of(const core::AuditEntry& entry, const std::string& network) {
  const bool is_known = !entry.actor.empty();
  std::string name = is_known ? entry.actor + "\n" + entry.ns + "\n" + entry.object : network;
  if (kinds_.contains(name)) return name;
  if (is_known) {
    const auto found = kinds_of_token_.find(entry.actor);
    if (found != kinds_of_token_.end() && found->second >= caps_.kinds_of_one_token)
      name = entry.actor + std::string{kOthers};
  }
  if (kinds_.size() >= caps_.kinds && !kinds_.contains(name)) name = kOthers;
  return name;
}

std::optional<core::AuditEntry> Denials::note(core::AuditEntry entry, const std::string& network) {
  bool begins_timer = false;
  {
    const std::lock_guard lock{mutex_};
    const std::string name = name_of(entry, network);
    const auto known = kinds_.find(name);
    if (known != kinds_.end()) {
      Kind& kind = known->second;
      ++kind.count;
      kind.last = std::move(entry);
      if (kind.network != network) kind.network.clear();  // several addresses
      return std::nullopt;
    }
    const std::string token = name == kOthers ? "" : entry.actor;
    if (!token.empty()) ++kinds_of_token_[token];
    kinds_[name] = {.token = token, .network = network, .ends_at = clock_.monotonic() + caps_.interval};
    begins_timer = !std::exchange(has_timer_, true);
  }
  if (begins_timer) write_later();
  entry.detail = detail_of(network, 0, caps_.interval);
  return entry;
}

core::AuditEntry Denials::counted(const Kind& kind) const {
  core::AuditEntry entry = kind.last;
  entry.detail = detail_of(kind.network, kind.count, caps_.interval);
  return entry;
}

void Denials::write_later() {
  later_(caps_.interval, [this] { write_ended(); });
}

// A kind with denials in an interval gets one entry for it; a kind without any is dropped.
void Denials::write_ended() {
  std::vector<core::AuditEntry> entries;
  bool goes_on = false;
  {
    const std::lock_guard lock{mutex_};
    const core::MonotonicTime now = clock_.monotonic();
    for (auto kind = kinds_.begin(); kind != kinds_.end();) {
      if (kind->second.ends_at > now) {
        ++kind;
        continue;
      }
      if (kind->second.count == 0) {
        forget(kind->second.token);
        kind = kinds_.erase(kind);
        continue;
      }
      entries.push_back(counted(kind->second));
      kind->second.count = 0;
      kind->second.ends_at = now + caps_.interval;
      ++kind;
    }
    goes_on = !kinds_.empty();
    has_timer_ = goes_on;
  }
  if (!entries.empty()) write_(std::move(entries));
  if (goes_on) write_later();
}

void Denials::forget(const std::string& token) {
  const auto found = kinds_of_token_.find(token);
  if (found != kinds_of_token_.end() && --found->second == 0) kinds_of_token_.erase(found);
}

core::Command audit_command(std::vector<core::AuditEntry> entries) {
  return core::ChangeRecords{.decide = [entries = std::move(entries)](core::FoundRecords, core::TimePoint) {
    return core::Result<core::RecordDecision>{core::RecordDecision{.audit = entries}};
  }};
}

void Denials::flush() {
  std::vector<core::AuditEntry> entries;
  {
    const std::lock_guard lock{mutex_};
    for (auto& [name, kind] : kinds_) {
      if (kind.count > 0) entries.push_back(counted(kind));
      kind.count = 0;
    }
  }
  if (!entries.empty()) write_(std::move(entries));
}

}  // namespace pawl::server
