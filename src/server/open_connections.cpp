#include "server/open_connections.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::server {

namespace {

// Bounds the search in a line of many busy connections; the next search continues after the last one checked.
constexpr int kCheckedMax = 64;

core::Problem no_room(std::string detail) {
  return {.code = core::ProblemCode::resource_exhausted, .detail = std::move(detail)};
}

}  // namespace

core::Result<OpenConnections::Room> OpenConnections::make_room(const std::string& network, bool is_spared) {
  const std::lock_guard lock{mutex_};
  const auto known = of_network_.find(network);
  const bool is_network_full =
      !is_spared && known != of_network_.end() && known->second >= limits_.connections_per_address_max;
  if (is_network_full)
    return no_room(fmt::format("there are {} connections of address {} already, which is the most",
                               limits_.connections_per_address_max, network));
  const auto count = static_cast<std::int64_t>(entries_.size());
  if (count < limits_.connections_max) return Room::free;
  // Displaced connections count until they have ended, so the limit may be exceeded briefly.
  Entry* displaced = count < limits_.connections_max + limits_.farewells_max ? first_to_displace() : nullptr;
  if (displaced == nullptr)
    return no_room(fmt::format("limits.connections: all {} connections are in use", limits_.connections_max));
  displaced->connection->displace();
  return Room::displaced;
}

// The returned entry is no longer in any line.
OpenConnections::Entry* OpenConnections::first_to_displace() {
  Entry* first = unauthenticated_.empty() ? nullptr : unauthenticated_.front();
  if (first == nullptr) {
    const auto most = std::max_element(of_token_.begin(), of_token_.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    const bool has_most = most != of_token_.end() && !most->first.empty() &&
                          2 * static_cast<std::int64_t>(most->second.size()) > limits_.connections_max;
    if (has_most) first = next_idle(most->second);
  }
  if (first != nullptr) leave_line(*first);
  return first;
}

OpenConnections::Entry* OpenConnections::next_idle(Line& line) {
  const std::size_t checked_max = std::min<std::size_t>(line.size(), kCheckedMax);
  for (std::size_t i = 0; i < checked_max; ++i) {
    Entry* entry = line.front();
    if (entry->connection->is_idle()) return entry;
    line.splice(line.end(), line, line.begin());
  }
  return nullptr;
}

OpenConnections::Line& OpenConnections::line_of(const Entry& entry) {
  return entry.token ? of_token_[*entry.token] : unauthenticated_;
}

void OpenConnections::leave_line(Entry& entry) {
  if (!entry.place) return;
  Line& line = line_of(entry);
  line.erase(*entry.place);
  entry.place.reset();
  if (line.empty() && entry.token) of_token_.erase(*entry.token);
}

OpenConnections::Handle OpenConnections::add(std::shared_ptr<Connection> connection, std::string network) {
  const std::lock_guard lock{mutex_};
  const Handle entry = entries_.insert(
      entries_.end(), Entry{.connection = std::move(connection), .network = std::move(network)});
  entry->place = unauthenticated_.insert(unauthenticated_.end(), &*entry);
  ++of_network_[entry->network];
  return entry;
}

void OpenConnections::note_admitted(Handle entry, const std::string& token) {
  const std::lock_guard lock{mutex_};
  if (!entry->place || entry->token == token) return;
  leave_line(*entry);
  entry->token = token;
  Line& line = line_of(*entry);
  entry->place = line.insert(line.end(), &*entry);
}

void OpenConnections::remove(Handle entry) {
  const std::lock_guard lock{mutex_};
  leave_line(*entry);
  const auto of_network = of_network_.find(entry->network);
  if (--of_network->second == 0) of_network_.erase(of_network);
  entries_.erase(entry);
  if (entries_.empty()) all_ended_.notify_all();
}

void OpenConnections::stop_all() {
  const std::lock_guard lock{mutex_};
  for (const Entry& entry : entries_) entry.connection->stop();
}

bool OpenConnections::wait_until_none(std::chrono::milliseconds at_most) {
  std::unique_lock lock{mutex_};
  return all_ended_.wait_for(lock, at_most, [this] { return entries_.empty(); });
}

}  // namespace pawl::server
