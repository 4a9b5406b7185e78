#pragma once
// A std::optional that takes no more room than a pointer while it is empty: for large parts that few have of
// values of which there are many. It is a value as an optional is: copied and compared by what it holds.

#include <memory>
#include <utility>

namespace pawl::core {

template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}  // implicit, as that of std::optional is
  Boxed(const Boxed& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    held_ = other.held_ ? std::make_unique<T>(*other.held_) : nullptr;
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }

  bool operator==(const Boxed& other) const {
    if (!held_ || !other.held_) return held_ == other.held_;
    return *held_ == *other.held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace pawl::core
