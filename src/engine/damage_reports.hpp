#pragma once
// Passes defects of stored rows to a listener, such as the log. Thread-safe.

#include <functional>
#include <mutex>
#include <string>

namespace pawl::engine {

class DamageReports {
 public:
  // Called with the name and the defect of each damaged object, on any thread, one call at a time.
  using Listener = std::function<void(const std::string& object, const std::string& why)>;

  void listen(Listener listener);
  void report(const std::string& object, const std::string& why);

 private:
  std::mutex mutex_;
  Listener listener_;
};

}  // namespace pawl::engine
