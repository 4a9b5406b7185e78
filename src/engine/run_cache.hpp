#pragma once
// Runs of code that this engine has just written. The steps of one come one after the other from one body, so
// the next group mostly wants what the last one left: taken from here it needs no read.
//
// Never more than a guess: another node may have changed the run since, and then the commit, which compares
// the sequence, tells the group to try again with what is stored. Where nothing of the run is to be written
// there is nothing to compare: then it is looked at before the commit (WorkingRuns::confirm_guesses).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/run_lag.hpp"
#include "core/working_run.hpp"

namespace pawl::engine {

class RunCache {
 public:
  struct Kept {
    std::unique_ptr<core::WorkingRun> working;  // with all nodes of a short run, else with those in use
    std::string hash;                           // of its last event
    core::RunRowMark row;
    bool had_signals = true;  // there may be some that nobody has consumed
    std::uint64_t life = 0;   // of the store, in which it was written
  };

  // The caller has it alone. What is from another life of the store is dropped.
  [[nodiscard]] std::optional<Kept> take(const core::RunId& id, std::uint64_t life);
  void keep(const core::RunId& id, Kept&& kept);
  void drop(const core::RunId& id);

 private:
  struct Entry {
    Kept kept;
    std::uint64_t number = 0;  // the higher, the later it was kept
  };
  [[nodiscard]] std::vector<Kept> take_oldest();

  std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::unordered_map<core::RunId, Entry> entries_;
};

}  // namespace pawl::engine
