#pragma once
// Holds the replies to step writes that wait until the steps have ended. A commit of this engine that ends a
// step sends the reply; commits of other nodes are not seen here, so a caller waits for a short time and
// sends the request again. Thread-safe.

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/env.hpp"
#include "core/run/step.hpp"
#include "core/task/command.hpp"

namespace pawl::engine {

// A reply and its content.
struct ReadyReply {
  core::Reply reply;
  core::StepsWritten written;
};

// The state of one run after a commit.
struct RunStepChange {
  core::RunId run = {};
  std::vector<core::StepMemo> ended = {};  // by this commit
  std::optional<core::StopReason> stop = {};
  bool is_paused = false;
  core::TimePoint now = {};
};

// Whether a reply to this write has to wait.
[[nodiscard]] bool is_awaiting(const core::WriteSteps& command, const core::StepsWritten& written);

class StepWaits {
 public:
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] bool has(const core::RunId& run) const;

  void park(const core::WriteSteps& command, ReadyReply reply, core::MonotonicTime until);
  // The replies that need not wait any longer.
  [[nodiscard]] std::vector<ReadyReply> take_for(const RunStepChange& change);
  [[nodiscard]] std::vector<ReadyReply> take_expired(core::MonotonicTime now);
  [[nodiscard]] std::vector<ReadyReply> take_all();

 private:
  struct Waiting {
    ReadyReply reply;
    bool wants_all = false;
    core::MonotonicTime until = {};
  };
  using Waits = std::multimap<core::RunId, Waiting>;

  template <typename IsTaken>
  [[nodiscard]] std::vector<ReadyReply> take_if(Waits::iterator first, Waits::iterator last,
                                                IsTaken is_taken);

  mutable std::mutex mutex_;
  std::atomic<std::size_t> count_ = 0;
  Waits waits_;
};

}  // namespace pawl::engine
