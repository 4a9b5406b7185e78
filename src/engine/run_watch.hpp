#pragma once
// Notifies watchers of changes to runs. Commits of this node notify immediately; commits of other nodes are
// not seen here, so a watcher must also poll. Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/run/run.hpp"

namespace pawl::engine {

class RunWatch {
 public:
  using Tell = std::function<void(const core::Run& run)>;
  enum class Of : std::uint8_t { every_event, its_end };

  // `tell` is called with the committed run, on the thread that replies to the group. It must be quick, and
  // may be called once more while `unwatch` runs.
  [[nodiscard]] std::uint64_t watch(const core::RunId& run, Of what, Tell tell);
  void unwatch(std::uint64_t watcher);

  // The notifications of the current watchers about committed runs.
  struct News {
    std::shared_ptr<const core::Run> run;
    Tell tell;
  };
  [[nodiscard]] std::vector<News> news_of(std::span<const core::Run* const> runs);

 private:
  struct Watcher {
    core::RunId run = {};
    Of what = Of::every_event;
    Tell tell = {};
  };

  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Watcher> watchers_;
  std::multimap<core::RunId, std::uint64_t> by_run_;
};

}  // namespace pawl::engine
