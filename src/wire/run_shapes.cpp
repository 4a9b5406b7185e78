// Shapes of definitions and runs.

#include "wire/shapes.hpp"

namespace pawl::wire {

namespace {

constexpr std::array kDefinitionTaskFields{
    has("id", "string", "unique in the definition"),
    maybe("type", "NodeType", "default: activity"),
    maybe("activity", "string", "the type of its task"),
    maybe("signal", "string", "the signal that it waits for"),
    maybe("workflow", "string", "that it starts as a child"),
    maybe("duration", "duration", "how long it sleeps"),
    maybe("after", "[string]", "the ids of the tasks that must end first"),
    maybe("when", "json", "a condition: it is skipped if it does not hold"),
    maybe("on_error", "OnError", "default: fail"),
    maybe("compensate", "string", "the id of the compensation that undoes it"),
    maybe("input", "json", "a template; default: the run's input"),
    maybe("for_each", "json", "an array, or a reference to one"),
    maybe("timeout", "duration"),
    maybe("retry", "GivenRetryPolicy"),
    maybe("queue", "string"),
    maybe("priority", "integer"),
    maybe("labels", "{string}"),
};
constexpr std::array kDefinitionNameFields{
    has("name", "string"),
    has("version", "integer"),
    has("hash", "string"),
};
constexpr std::array kDefinitionRowFields{
    has("created_at", "time"),
};
constexpr std::array kDefinitionFields{
    has("definition", "json", "as it was put"),
};

constexpr std::array kRunParentFields{
    has("run_id", "uuid"),
    has("node_id", "string"),
};
constexpr std::array kRunCountsFields{
    has("blocked", "integer"),   has("pending", "integer"),   has("running", "integer"),
    has("completed", "integer"), has("failed", "integer"),    has("waiting", "integer"),
    has("skipped", "integer"),   has("cancelled", "integer"),
};
constexpr std::array kRunFields{
    has("id", "uuid"),
    has("namespace", "string"),
    has("workflow", "string"),
    has("version", "integer?", "of the definition"),
    has("kind", "RunKind"),
    has("run_key", "string?"),
    has("state", "RunState"),
    has("custom_status", "string?"),
    has("input", "json"),
    has("output", "json"),
    has("error", "TaskError?"),
    has("parent", "RunParent?"),
    has("deadline_at", "time?"),
    has("wake_at", "time?"),
    has("labels", "{string}"),
    has("sequence", "integer", "of its last event: If-Match compares it"),
    has("counts", "RunCounts"),
    has("created_at", "time"),
    has("started_at", "time?"),
    has("finished_at", "time?"),
    has("updated_at", "time"),
    maybe("continued_from", "uuid"),
    maybe("continued_as", "uuid"),
    maybe("retrying", "integer", "how many tasks wait to be tried again"),
    maybe("cancel_requested", "boolean", "and not done yet"),
    maybe("compensation_error", "TaskError?"),
};
constexpr std::array kRunItemsFields{
    has("total", "integer"),
    has("left", "integer"),
    has("failed", "integer"),
};
constexpr std::array kRunTaskFields{
    has("id", "string"),
    has("node_id", "string"),
    has("item", "integer?", "the index of its element, of a for_each"),
    has("type", "RunTaskType"),
    has("state", "NodeState"),
    has("task_id", "uuid?"),
    has("child_run_id", "uuid?"),
    has("attempt", "integer"),
    has("output", "json"),
    has("error", "TaskError?"),
    has("items", "RunItems?", "of a for_each"),
    has("due_at", "time?"),
    has("awaits", "string?", "the signal that it waits for"),
    has("scheduled_at", "time?"),
    has("finished_at", "time?"),
};
constexpr std::array kRunWithTasksFields{
    maybe("tasks", "[RunTask]", "with include=tasks"),
    maybe("steps", "[StepAttempt]", "with include=steps"),
};
constexpr std::array kStartedRunFields{
    has("created", "boolean", "false: the run was there already"),
    has("run", "Run"),
};
constexpr std::array kRewoundRunFields{
    has("run", "Run", "the new one"),
};
constexpr std::array kRunFilterFields{
    maybe("state", "string", "one or several, separated by commas"),
    maybe("retrying", "boolean"),
    maybe("workflow", "string"),
    maybe("run_key", "string"),
    maybe("parent", "uuid"),
    maybe("label", "string", "name:value"),
    maybe("created_after", "time"),
    maybe("created_before", "time"),
};
constexpr std::array kEventActorFields{
    has("type", "EventActorType"),
    has("id", "string?"),
};
constexpr std::array kRunEventFields{
    has("sequence", "integer"),  has("event_id", "string"),
    has("type", "RunEventType"), has("at", "time"),
    has("payload", "json"),      has("caused_by", "integer?", "the sequence of another event"),
    has("actor", "EventActor"),  has("trace_id", "string?"),
    has("span_id", "string?"),
};
constexpr std::array kRunReplayFields{
    has("state", "Run"),
    has("matches", "boolean"),
    has("differences", "[string]"),
};
constexpr std::array kRunGraphNodeFields{
    has("id", "string"),     has("type", "NodeType"),   has("state", "NodeState"),
    has("task_id", "uuid?"), has("attempt", "integer"),
};
constexpr std::array kRunGraphEdgeFields{
    has("from", "string"),
    has("to", "string"),
};
constexpr std::array kRunGraphFields{
    has("nodes", "[RunGraphNode]"),
    has("edges", "[RunGraphEdge]"),
};

constexpr std::array kRunShapes{
    Shape{"DefinitionTask", kDefinitionTaskFields, {}, true},
    Shape{"DefinitionName", kDefinitionNameFields},
    Shape{"DefinitionRow", kDefinitionRowFields, "DefinitionName"},
    Shape{"Definition", kDefinitionFields, "DefinitionRow"},
    Shape{"RunParent", kRunParentFields},
    Shape{"RunCounts", kRunCountsFields},
    Shape{"Run", kRunFields},
    Shape{"RunItems", kRunItemsFields},
    Shape{"RunTask", kRunTaskFields},
    Shape{"RunWithTasks", kRunWithTasksFields, "Run"},
    Shape{"StartedRun", kStartedRunFields},
    Shape{"RewoundRun", kRewoundRunFields},
    Shape{"RunFilter", kRunFilterFields, {}, true},
    Shape{"EventActor", kEventActorFields},
    Shape{"RunEvent", kRunEventFields},
    Shape{"RunReplay", kRunReplayFields},
    Shape{"RunGraphNode", kRunGraphNodeFields},
    Shape{"RunGraphEdge", kRunGraphEdgeFields},
    Shape{"RunGraph", kRunGraphFields},
};

}  // namespace

std::span<const Shape> run_shapes() { return kRunShapes; }

}  // namespace pawl::wire
