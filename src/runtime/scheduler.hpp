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

  struct Before {
    core::Firing firing = {};
    bool is_open = false;
  };
  // What the schedule fired last before this slot and is not skipped.
  core::Result<std::optional<Before>> before(const std::string& ns, const core::Firing& firing);
  core::Result<bool> is_open(const std::string& ns, const core::Firing& firing);
  core::Status stop(const std::string& ns, const core::Firing& firing);
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
