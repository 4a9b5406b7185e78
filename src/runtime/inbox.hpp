#pragma once
// Does what was asked for inside other people's transactions (core/inbox.hpp). Every node may do it at any
// time: the store lets one of them take a call off the list, in the commit of its effect.

#include <vector>

#include "core/inbox.hpp"
#include "engine/engine.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

class Inbox {
 public:
  Inbox(store::Store& store, engine::Engine& engine, LocalApi& api)
      : store_(store), engine_(engine), api_(api) {}

  // One look, a page at most: how many calls were done or refused. None: nothing is due, or the store is
  // away.
  int look();

 private:
  // All of them in one transaction, in the order in which they were called.
  int enqueue(const std::vector<core::InboxCall>& calls);
  [[nodiscard]] core::Status start(const core::InboxCall& call);
  [[nodiscard]] core::Status send(const core::InboxCall& call);
  // What it came to: 1 where it is off the list, or not to be looked at soon.
  int settle(const core::InboxCall& call, const core::Status& outcome);

  store::Store& store_;
  engine::Engine& engine_;
  LocalApi& api_;
};

}  // namespace pawl::runtime
