#pragma once
// Caches the code runs that this engine wrote last. The steps of a run arrive one after the other from one
// body, so the next group mostly needs the state that the last one left, and the cache saves the read.
//
// An entry is only a guess: another node may have changed the run since. The commit compares the sequence,
// and on a mismatch the group tries again with the stored run. A group that writes nothing to the run has
// nothing to compare, so it confirms the guess before the commit (WorkingRuns::confirm_guesses).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/run/run_lag.hpp"
#include "core/run/working_run.hpp"

namespace pawl::engine {

class RunCache {
 public:
  struct Kept {
    std::unique_ptr<core::WorkingRun> working;  // with all nodes of a short run, else with those in use
    std::string hash;                           // of its last event
    core::RunRowMark row;
    bool had_signals = true;  // unconsumed signals may exist
    std::uint64_t life = 0;   // of the store when the run was written
  };

  // The caller owns the entry alone. An entry from another life of the store is dropped.
  [[nodiscard]] std::optional<Kept> take(const core::RunId& id, std::uint64_t life);
  void keep(const core::RunId& id, Kept&& kept);
  void drop(const core::RunId& id);

 private:
  struct Entry {
    Kept kept;
    std::uint64_t number = 0;  // rises with each `keep`
  };
  [[nodiscard]] std::vector<Kept> take_oldest();

  std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::unordered_map<core::RunId, Entry> entries_;
};

}  // namespace pawl::engine
