#pragma once
// Fires what is due: claims the slots that have come, and starts what waiting firings say. Every node may do
// it at any time; the store lets one of them claim a slot, and the firing's key lets what it starts be there
// once.

#include "runtime/local_api.hpp"

namespace pawl::runtime {

class Scheduler {
 public:
  Scheduler(store::Store& store, LocalApi& api, core::Random& random)
      : store_(store), api_(api), random_(random) {}

  // How many slots it claimed and firings it ended; none: nothing is due, or the store is away.
  int look();

 private:
  int claim_due();
  int fire_due();
  bool claim(const core::Record& record);
  bool fire(const std::string& ns, core::Firing firing);

  // What the first firing of the next claim refers to; none: the last firing does not tell.
  core::Result<std::optional<core::PreviousFiring>> last_claimed(const std::string& ns,
                                                                 const core::Schedule& schedule);
  core::Result<std::optional<core::Firing>> find_firing(const std::string& ns, const std::string& schedule_id,
                                                        core::TimePoint slot);
  // The last firing before this one that was not skipped, with what it started unless it waits.
  core::Result<core::PreviousFiring> find_previous(const std::string& ns, core::Firing firing);
  // From where to go on behind a firing that does not refer to one, since an older version wrote it.
  core::Result<core::PreviousFiring> search_previous(const std::string& ns, const core::Firing& firing);
  core::Result<bool> is_open(const std::string& ns, const core::PreviousFiring& previous);
  core::Status stop(const std::string& ns, const core::Schedule& schedule,
                    const core::PreviousFiring& previous);
  // What the firing started.
  core::Result<core::Firing> start(const std::string& ns, const core::Schedule& schedule,
                                   core::Firing firing);
  bool skip(const std::string& ns, core::Firing firing, std::string reason);
  // It is looked at again later, so that those that cannot go yet do not stand before those that can.
  bool postpone(const std::string& ns, core::Firing firing, core::Duration time);

  store::Store& store_;
  LocalApi& api_;
  core::Random& random_;
};

}  // namespace pawl::runtime
