#pragma once
// Fires due schedules: claims due slots, and starts the task or run of each waiting firing. Any node may do
// it at any time: the store lets one of them claim a slot, and the firing's key deduplicates what it starts.

#include "runtime/local_api.hpp"

namespace pawl::runtime {

class Scheduler {
 public:
  Scheduler(store::Store& store, LocalApi& api, core::Random& random)
      : store_(store), api_(api), random_(random) {}

  // Returns how many slots it claimed and firings it ended: 0 if nothing is due or the store is unavailable.
  int poll();

 private:
  int claim_due();
  int fire_due();
  void note_poll(core::TimePoint now);
  bool claim(const core::Record& record);
  bool fire(const std::string& ns, core::Firing firing);

  // The reference of the first firing of the next claim; none: the last firing does not contain it.
  core::Result<std::optional<core::PreviousFiring>> last_claimed(const std::string& ns,
                                                                 const core::Schedule& schedule);
  core::Result<std::optional<core::Firing>> find_firing(const std::string& ns, const std::string& schedule_id,
                                                        core::TimePoint slot);
  // The last firing before this one that was not skipped, with the run or task it started unless it waits.
  core::Result<core::PreviousFiring> find_previous(const std::string& ns, core::Firing firing);
  // Finds the predecessor of a firing that an older version wrote, which contains no reference to it.
  core::Result<core::PreviousFiring> search_previous(const std::string& ns, const core::Firing& firing);
  core::Result<bool> is_open(const std::string& ns, const core::PreviousFiring& previous);
  core::Status stop(const std::string& ns, const core::Schedule& schedule,
                    const core::PreviousFiring& previous);
  // Starts the task or run of the firing; returns the firing with its id.
  core::Result<core::Firing> start(const std::string& ns, const core::Schedule& schedule,
                                   core::Firing firing);
  bool skip(const std::string& ns, core::Firing firing, std::string reason);
  // Defers the firing, so that firings that cannot start yet do not block those that can.
  bool postpone(const std::string& ns, core::Firing firing, core::Duration time);

  store::Store& store_;
  LocalApi& api_;
  core::Random& random_;
  // By the store's clock: when this node polled last, and since when it has polled without a pause.
  std::optional<core::TimePoint> polled_at_;
  core::TimePoint polling_since_ = {};
};

}  // namespace pawl::runtime
