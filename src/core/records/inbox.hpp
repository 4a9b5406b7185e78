#pragma once
// Calls of the SQL functions, made inside a user's own transaction (docs/adr/0019-sql-functions.md). A
// function writes each call as a record, which becomes visible when that transaction commits. A node converts
// it to a command and erases the record in the commit of the command's effect.
//
// Invariants: the task or run of a call has the id that the function returned, and its key names that id from
// the commit of the caller's transaction on. A refused call is kept, with the reason.

#include <optional>
#include <string>
#include <vector>

#include "core/records/record.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

struct InboxCall {
  std::string id = {};               // of the record, and of the task or run; a signal has neither
  std::string name = {};             // of the SQL function
  Command command = {};              // EnqueueTasks, StartRun or SignalRun
  std::vector<RecordRef> refs = {};  // the call itself, and its key if it has one
  // The function has checked it against the type and the namespace, in the caller's transaction.
  bool is_checked = false;
};

[[nodiscard]] InboxCall inbox_call_from(const Record& record);

// The record of the call, by the id that the function returned.
[[nodiscard]] RecordRef inbox_ref(std::string id);

// Whether the answer contains the task or run with the id that the function returned.
[[nodiscard]] bool is_promised(const InboxCall& call, const Answer& answer);

// Stores the reason of the refusal. A workflow that is not declared may be declared later, so that call is
// retried. Any other call has ended: its key is free again, and the refusal is written to the audit log.
[[nodiscard]] Result<RecordDecision> refuse(const InboxCall& call, const Problem& problem, FoundRecords found,
                                            TimePoint now);

}  // namespace pawl::core
