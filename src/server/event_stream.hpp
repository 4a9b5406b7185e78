#pragma once
// Server-sent events: an answer that goes on. The call sends events into a stream, the connection takes them
// out and writes them; neither waits for the other, so a stream holds no thread.
//
// Always: what is taken out are whole events. A caller that does not keep up is cut off when it is a buffer
// behind, and comes back with the id of the last event that it saw (Last-Event-ID). Any thread.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace pawl::server {

struct Event {
  std::string id = {};  // empty where each event is the whole state: there is nothing to resume
  std::string type = {};
  std::string data = {};
};
// As it goes over the line.
[[nodiscard]] std::string event_text(const Event& event);

class EventStream {
 public:
  // `place` is kept as long as somebody reads.
  EventStream(std::size_t bytes_max, std::shared_ptr<void> place)
      : bytes_max_(bytes_max), place_(std::move(place)) {}

  // For the call. False once the stream is over: nothing more need be sent.
  bool send(const Event& event);
  // Whether it could be sent without the reader being cut off. One event always can, however large.
  [[nodiscard]] bool has_room(const Event& event) const;
  // What was sent is the last.
  void end();
  [[nodiscard]] bool is_over() const;

  // For the connection. `wake` is called when there is something to take after there was nothing.
  void attach(std::function<void()> wake);
  struct Taken {
    std::string bytes = {};
    bool is_last = false;
  };
  [[nodiscard]] Taken take();
  // Nobody reads any more.
  void close();

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::shared_ptr<void> place_;  // shared with nobody: what counts is when it goes
  std::function<void()> wake_;
  std::string buffer_;
  bool is_over_ = false;
};

}  // namespace pawl::server
