#pragma once
// The commands of the engine. Each has, in the file of its name:
//   needs          lists the rows to load and lock before any command of the group is executed;
//   execute        decides, and changes the rows of the group;
//   count_effects  counts what it did, after the commit; only for commands that have statistics.
// What no state can make valid is rejected by core::check, which clients call too. Claims are served together
// (engine/claim_round.hpp), and the command in a DoOnce is executed like any other (do_once.hpp).

#include "engine/commands/act_on_run.hpp"
#include "engine/commands/append_checkpoint.hpp"
#include "engine/commands/cancel_tasks.hpp"
#include "engine/commands/change_records.hpp"
#include "engine/commands/enqueue_tasks.hpp"
#include "engine/commands/erase.hpp"
#include "engine/commands/promote_due.hpp"
#include "engine/commands/report_tasks.hpp"
#include "engine/commands/retry_tasks.hpp"
#include "engine/commands/rewind_run.hpp"
#include "engine/commands/set_queue.hpp"
#include "engine/commands/signal_run.hpp"
#include "engine/commands/start_run.hpp"
#include "engine/commands/sweep_leases.hpp"
#include "engine/commands/wake_runs.hpp"
#include "engine/commands/write_steps.hpp"
