#pragma once
// A buffer of server-sent events between a call and a connection. The call adds events, the connection writes
// them; neither waits for the other, so a stream holds no thread.
//
// The connection always takes whole events. A client that falls one buffer behind is disconnected, and
// resumes with the id of the last event that it received (Last-Event-ID). Thread-safe.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace pawl::server {

struct Event {
  std::string id = {};  // empty if each event is the whole state: nothing to resume
  std::string type = {};
  std::string data = {};
};
// The event in the text/event-stream format.
[[nodiscard]] std::string event_text(const Event& event);

class EventStream {
 public:
  // `place` is held until the connection closes the stream.
  EventStream(std::size_t bytes_max, std::shared_ptr<void> place)
      : bytes_max_(bytes_max), place_(std::move(place)) {}

  // For the call. False once the stream has ended: no more events are needed.
  bool send(const Event& event);
  // Whether `send` would succeed without disconnecting the client. An empty buffer accepts one event of any
  // size.
  [[nodiscard]] bool has_room(const Event& event) const;
  // Ends the stream after the events sent so far.
  void end();
  [[nodiscard]] bool is_over() const;

  // For the connection. `wake` is called when an empty stream gets an event or ends.
  void attach(std::function<void()> wake);
  struct Taken {
    std::string bytes = {};
    bool is_last = false;
  };
  [[nodiscard]] Taken take();
  // The connection has stopped reading.
  void close();

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::shared_ptr<void> place_;  // shared_ptr for its deleter: destroying it frees the place
  std::function<void()> wake_;
  std::string buffer_;
  bool is_over_ = false;
};

}  // namespace pawl::server
