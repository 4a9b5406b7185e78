#include "server/event_stream.hpp"

#include <utility>

namespace pawl::server {

// JSON may contain line breaks between tokens: each line becomes one data field, and the client joins them
// again.
std::string event_text(const Event& event) {
  std::string text;
  if (!event.id.empty()) text += "id: " + event.id + "\n";
  if (!event.type.empty()) text += "event: " + event.type + "\n";
  std::size_t from = 0;
  while (true) {
    const std::size_t end = event.data.find_first_of("\r\n", from);
    text += "data: " + event.data.substr(from, end == std::string::npos ? end : end - from) + "\n";
    if (end == std::string::npos) break;
    from = end + 1;
  }
  return text + "\n";
}

bool EventStream::send(const Event& event) {
  const std::string text = event_text(event);
  std::function<void()> wake;
  {
    const std::lock_guard lock{mutex_};
    if (is_over_) return false;
    if (buffer_.empty()) wake = wake_;
    if (buffer_.empty() || buffer_.size() + text.size() <= bytes_max_) {
      buffer_ += text;
    } else {
      is_over_ = true;
    }
  }
  if (wake) wake();
  return !is_over();
}

bool EventStream::has_room(const Event& event) const {
  const std::size_t size = event_text(event).size();
  const std::lock_guard lock{mutex_};
  return buffer_.empty() || buffer_.size() + size <= bytes_max_;
}

void EventStream::end() {
  std::function<void()> wake;
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
    wake = wake_;
  }
  if (wake) wake();
}

bool EventStream::is_over() const {
  const std::lock_guard lock{mutex_};
  return is_over_;
}

void EventStream::attach(std::function<void()> wake) {
  const std::lock_guard lock{mutex_};
  wake_ = std::move(wake);
}

EventStream::Taken EventStream::take() {
  const std::lock_guard lock{mutex_};
  return {.bytes = std::exchange(buffer_, {}), .is_last = is_over_};
}

void EventStream::close() {
  const std::lock_guard lock{mutex_};
  is_over_ = true;
  wake_ = nullptr;
  buffer_.clear();
  place_.reset();
}

}  // namespace pawl::server
