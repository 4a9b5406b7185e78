#pragma once
// Executes the calls that SQL functions left in users' own transactions (core/records/inbox.hpp). Any node
// may do it at any time: the store lets one of them take a call off the list, in the commit of its effect.

#include <optional>
#include <string>
#include <vector>

#include "core/records/inbox.hpp"
#include "engine/engine.hpp"
#include "runtime/local_api.hpp"

namespace pawl::runtime {

class Inbox {
 public:
  Inbox(store::Store& store, engine::Engine& engine, LocalApi& api)
      : store_(store), engine_(engine), api_(api) {}

  // Polls once, one page at most. Returns how many calls were executed or refused: 0 if none is due or the
  // store is unavailable.
  int poll();

  // Creates the task or the run for an id that a function has returned, without waiting for the next poll. A
  // task with an entity key follows the calls before it.
  Promised make(const std::string& id);

 private:
  // Enqueues all of them in one transaction, in the order in which they were called.
  int enqueue(const std::vector<core::InboxCall>& calls);
  [[nodiscard]] core::Status start(const core::InboxCall& call);
  [[nodiscard]] core::Status send(const core::InboxCall& call);
  // Records the outcome. Returns 1 if the call is off the list or deferred, otherwise 0.
  int settle(const core::InboxCall& call, const core::Status& outcome);
  [[nodiscard]] std::optional<core::Record> find(const core::RecordRef& ref);
  [[nodiscard]] bool is_declared(const core::StartRun& command);
  // Makes the start of a run due now, after its workflow has been declared.
  void bring_forward(const core::RecordRef& ref);

  store::Store& store_;
  engine::Engine& engine_;
  LocalApi& api_;
};

}  // namespace pawl::runtime
