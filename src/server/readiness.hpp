#pragma once
// Whether the server can serve: the store can be read, and what was begun gets done. There is one look at a
// time for all who ask, and none of them waits long for it: a store that hangs must not keep those waiting
// who are to find that out.
//
// A server that was not ready is ready again after two good looks in a row: one that comes and goes is not.
//
// Anyone may ask: they are told nothing of the store but that it cannot be reached. Any thread.

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
  // `check_progress`: `unavailable` when work does not go on, saying what stands still.
  using CheckProgress = std::function<core::Status()>;
  // Work that was put off must not run after this has ended.
  Readiness(runtime::LocalApi& api, CheckProgress check_progress, Blocking blocking, Later later)
      : api_(api),
        check_progress_(std::move(check_progress)),
        blocking_(std::move(blocking)),
        later_(std::move(later)) {}

  struct Verdict {
    core::Status status = core::Done{};
    std::string cause = {};  // for the log alone
  };
  using Told = std::function<void(const Verdict&)>;
  void ask(const Told& told);

 private:
  [[nodiscard]] Verdict judge();
  // With the lock.
  [[nodiscard]] Verdict settled(Verdict verdict);
  void look();
  void give_up(std::uint64_t look);
  static void tell(const std::vector<Told>& askers, const Verdict& verdict);

  runtime::LocalApi& api_;
  CheckProgress check_progress_;
  Blocking blocking_;
  Later later_;
  std::mutex mutex_;
  std::vector<Told> askers_;  // of the look under way
  std::uint64_t looks_ = 0;
  int good_looks_needed_ = 0;
  bool is_looking_ = false;
  bool is_late_ = false;  // the look under way takes too long
};

// That the store cannot be reached, for those who may know no more of it.
[[nodiscard]] core::Problem store_unreachable();

}  // namespace pawl::server
