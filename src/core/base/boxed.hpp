#pragma once
// A std::optional of the size of a pointer: for large members that are rarely set in types with many
// instances. Like a std::optional it copies and compares by value.

#include <memory>
#include <optional>
#include <utility>

namespace pawl::core {

template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}  // implicit, like std::optional's
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
  [[nodiscard]] std::optional<T> copy() const { return held_ ? std::optional<T>{*held_} : std::nullopt; }

  bool operator==(const Boxed& other) const {
    if (!held_ || !other.held_) return held_ == other.held_;
    return *held_ == *other.held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace pawl::core
