#pragma once
// The open connections of a server, and the choice of which one to displace when all are in use: first an
// unauthenticated one, which has made no authorized request yet, then an idle one of a token that holds more
// than half of all connections.
//
// A connection that waits for its response is never displaced, and neither is a connection of a token that
// holds at most half of them. Thread-safe.

#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "server/connection.hpp"

namespace pawl::server {

class OpenConnections {
 public:
  explicit OpenConnections(const HttpLimits& limits) : limits_(limits) {}

  struct Entry {
    std::shared_ptr<Connection> connection;  // shared with the coroutine that runs it
    std::string network;
    std::optional<std::string> token = {};  // none: unauthenticated
    // Position in the line of unauthenticated connections or of the token; none: displaced.
    std::optional<std::list<Entry*>::iterator> place = {};
  };
  using Handle = std::list<Entry>::iterator;

  // Makes room for a connection from a network; a problem if that is not possible. `is_spared`: the network
  // has no limit of its own.
  enum class Room : std::uint8_t { free, displaced };
  [[nodiscard]] core::Result<Room> make_room(const std::string& network, bool is_spared);

  [[nodiscard]] Handle add(std::shared_ptr<Connection> connection, std::string network);
  // Records that a request of this token was admitted on the connection, not necessarily the first one.
  void note_admitted(Handle entry, const std::string& token);
  void remove(Handle entry);

  void stop_all();
  // Whether the last connection was removed in time.
  [[nodiscard]] bool wait_until_none(std::chrono::milliseconds at_most);

 private:
  using Line = std::list<Entry*>;

  // These need the lock.
  [[nodiscard]] Line& line_of(const Entry& entry);
  void leave_line(Entry& entry);
  [[nodiscard]] Entry* first_to_displace();
  [[nodiscard]] static Entry* next_idle(Line& line);

  const HttpLimits& limits_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::list<Entry> entries_;
  Line unauthenticated_;  // oldest first
  std::map<std::string, Line> of_token_;
  std::map<std::string, int> of_network_;
};

}  // namespace pawl::server
