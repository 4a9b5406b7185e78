#pragma once
// The connections of a server, and which of them makes room when all are taken: first a stranger, which has
// made no authorized request yet, then an idle one of a token that has more than half of all.
//
// Always: a connection that waits for its answer is not displaced, and none of a token that has at most half.
// Any thread.

#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "server/connection.hpp"

namespace pawl::server {

class OpenConnections {
 public:
  explicit OpenConnections(const HttpLimits& limits) : limits_(limits) {}

  struct Entry {
    std::shared_ptr<Connection> connection;  // shared with the coroutine that runs it
    std::string network;
    std::optional<std::string> token = {};  // none: a stranger
    // Among the strangers, or those of the token; none: it was displaced.
    std::optional<std::list<Entry*>::iterator> place = {};
  };
  using Handle = std::list<Entry>::iterator;

  // Makes room for a connection from a network, or says why there is none. `is_spared`: the network has no
  // limit of its own.
  enum class Room : std::uint8_t { free, displaced };
  [[nodiscard]] core::Result<Room> make_room(const std::string& network, bool is_spared);

  [[nodiscard]] Handle add(std::shared_ptr<Connection> connection, std::string network);
  // A request of this token was admitted on it, perhaps not the first one.
  void note_admitted(Handle entry, const std::string& token);
  void remove(Handle entry);

  void stop_all();
  // Whether the last one was removed in time.
  [[nodiscard]] bool wait_until_none(std::chrono::milliseconds at_most);

 private:
  using Line = std::list<Entry*>;

  // With the lock.
  [[nodiscard]] Line& line_of(const Entry& entry);
  void leave_line(Entry& entry);
  [[nodiscard]] Entry* first_to_displace();
  [[nodiscard]] static Entry* next_idle(Line& line);

  const HttpLimits& limits_;
  std::mutex mutex_;
  std::condition_variable none_left_;
  std::list<Entry> entries_;
  Line strangers_;  // the first to come first
  std::map<std::string, Line> of_token_;
  std::map<std::string, int> of_network_;
};

}  // namespace pawl::server
