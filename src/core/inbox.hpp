#pragma once
// Calls that were made inside somebody's own transaction, by the functions that the schema has for that
// (docs/adr/0019-sql-functions.md). Each is a record, written by the function and there once that transaction
// is committed; a node makes the command of it, and erases the record in the commit of its effect.
//
// Always: the id that the function gave out is that of the task or the run that comes of it. What is refused
// stays, with the reason.

#include <optional>
#include <string>
#include <vector>

#include "core/command.hpp"
#include "core/record.hpp"

namespace pawl::core {

struct InboxCall {
  std::string id = {};               // of the record, and of what comes of it unless that is a signal
  std::string name = {};             // of the function
  Command command = {};              // EnqueueTasks, StartRun or SignalRun
  std::vector<RecordRef> refs = {};  // itself; and where it has one, its key
};

[[nodiscard]] InboxCall inbox_call_from(const Record& record);

// Whether the answer is what the function promised: the task or the run with the id that it gave out.
[[nodiscard]] bool is_promised(const InboxCall& call, const Answer& answer);

// Keeps the reason why it was refused. A workflow that nobody has declared may be declared yet: it is tried
// again in a while. Everything else is over: its key is free again, and it is in the audit.
[[nodiscard]] Result<RecordDecision> refuse(const InboxCall& call, const Problem& problem, FoundRecords found,
                                            TimePoint now);

}  // namespace pawl::core
