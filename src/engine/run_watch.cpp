#include "engine/run_watch.hpp"

#include <utility>

namespace pawl::engine {

std::uint64_t RunWatch::watch(const core::RunId& run, Of what, Tell tell) {
  const std::lock_guard lock{mutex_};
  watchers_.emplace(++last_, Watcher{.run = run, .what = what, .tell = std::move(tell)});
  by_run_.emplace(run, last_);
  return last_;
}

void RunWatch::unwatch(std::uint64_t watcher) {
  const std::lock_guard lock{mutex_};
  const auto known = watchers_.find(watcher);
  if (known == watchers_.end()) return;
  auto [entry, end] = by_run_.equal_range(known->second.run);
  while (entry != end && entry->second != watcher) ++entry;
  if (entry != end) by_run_.erase(entry);
  watchers_.erase(known);
}

std::vector<RunWatch::News> RunWatch::news_of(std::span<const core::Run* const> runs) {
  std::vector<News> news;
  const std::lock_guard lock{mutex_};
  if (watchers_.empty()) return news;
  for (const core::Run* run : runs) {
    std::shared_ptr<const core::Run> kept;
    const auto [first, last] = by_run_.equal_range(run->facts.id);
    for (auto entry = first; entry != last; ++entry) {
      const Watcher& watcher = watchers_.at(entry->second);
      if (watcher.what == Of::its_end && !core::is_closed(run->state)) continue;
      if (kept == nullptr) kept = std::make_shared<const core::Run>(*run);
      news.push_back({.run = kept, .tell = watcher.tell});
    }
  }
  return news;
}

}  // namespace pawl::engine
