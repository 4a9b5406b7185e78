#pragma once
// Helpers for tests of workflows: recorded side effects, and the failures of runs.

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "tests/sdk/fixture.hpp"

namespace pawl::testing {

// The side effects, in order. Thread-safe.
class Effects {
 public:
  void add(const std::string& effect) {
    const std::lock_guard lock{mutex_};
    effects_.push_back(effect);
  }
  [[nodiscard]] std::vector<std::string> all() {
    const std::lock_guard lock{mutex_};
    return effects_;
  }
  [[nodiscard]] std::ptrdiff_t count(const std::string& effect) {
    const std::lock_guard lock{mutex_};
    return std::count(effects_.begin(), effects_.end(), effect);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> effects_;
};

using Lines = std::vector<std::string>;

// Every wait releases the thread, so the function runs again after it.
inline WorkerOptions leaving() { return quiet({.suspend_after = Duration{0}}); }

inline RunFailed failure_of(const Run& run) {
  try {
    run.wait(30s);
  } catch (const RunFailed& failed) {
    return failed;
  }
  return RunFailed{{.id = run.id(), .state = "completed"}, "", ""};
}

}  // namespace pawl::testing
