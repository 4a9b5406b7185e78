#pragma once
// Decides whether the server can serve: the store is readable and the runtime makes progress. All concurrent
// callers share one check, and none waits long for it: if the store hangs, health checks must still learn
// that.
//
// After a failed check the server is ready again only after two successful checks in a row, so that an
// unstable store does not count as ready.
//
// Any caller may check, so the status reveals only that the store cannot be reached. Thread-safe.

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/local_api.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class Readiness {
 public:
  // `check_progress`: `unavailable`, naming the stalled part, when the runtime makes no progress.
  using CheckProgress = std::function<core::Status()>;
  // Work scheduled with `later` must not run after this object is destroyed.
  Readiness(runtime::LocalApi& api, CheckProgress check_progress, Blocking blocking, Later later)
      : api_(api),
        check_progress_(std::move(check_progress)),
        blocking_(std::move(blocking)),
        later_(std::move(later)) {}

  struct Verdict {
    core::Status status = core::Done{};
    std::string cause = {};  // only for the log
  };
  using Done = std::function<void(const Verdict&)>;
  void ask(const Done& done);

 private:
  [[nodiscard]] Verdict verdict_now();
  // Needs the lock.
  [[nodiscard]] Verdict after_recovery(Verdict verdict);
  void check();
  void give_up(std::uint64_t number);
  static void reply(const std::vector<Done>& waiting, const Verdict& verdict);

  runtime::LocalApi& api_;
  CheckProgress check_progress_;
  Blocking blocking_;
  Later later_;
  std::mutex mutex_;
  std::vector<Done> waiting_;  // of the current check
  std::uint64_t checks_ = 0;
  int good_checks_needed_ = 0;
  bool is_checking_ = false;
  bool is_late_ = false;  // the current check takes too long
};

// Reports an unreachable store without further details.
[[nodiscard]] core::Problem store_unreachable();

}  // namespace pawl::server
