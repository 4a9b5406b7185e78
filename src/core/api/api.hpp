#pragma once
// The file to read first: every use case, by noun. Behind these interfaces is either an engine in this
// process or a server; callers cannot distinguish the two. Every call may be made from any thread and returns
// when its outcome is durable. Two more interfaces follow the same rules: core/api/run_api.hpp and
// core/api/schedule_api.hpp.

#include "core/api/admin_api.hpp"
#include "core/api/record_api.hpp"
#include "core/api/task_api.hpp"
#include "core/api/worker_api.hpp"

namespace pawl::core {

// The interfaces in one, for callers that need several of them. The inheritance is virtual so that one class
// can implement each interface and another can combine these classes (docs/adr/0084).
class Api : public virtual TaskApi,
            public virtual WorkerApi,
            public virtual RecordApi,
            public virtual AdminApi {};

}  // namespace pawl::core
