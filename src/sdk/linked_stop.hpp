#pragma once
// A stop source that also stops when its parent does. Any thread may request the stop.

#include <functional>
#include <stop_token>
#include <utility>

namespace pawl::detail {

class LinkedStop {
 public:
  explicit LinkedStop(std::stop_token parent)
      : with_parent_(std::move(parent), [source = source_]() mutable { source.request_stop(); }) {}
  LinkedStop(const LinkedStop&) = delete;
  LinkedStop& operator=(const LinkedStop&) = delete;
  ~LinkedStop() = default;

  void request() { source_.request_stop(); }
  [[nodiscard]] const std::stop_source& source() const { return source_; }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> with_parent_;
};

}  // namespace pawl::detail
