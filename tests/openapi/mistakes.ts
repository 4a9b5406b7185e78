// Exactly the marked lines must fail to compile.
import { call } from "./client";

const ns = "default";
const id = "0199e7a2-0000-7000-8000-000000000000";

void call("enqueueTask", { path: { ns }, body: { type: "a", pirority: 3 } }); // mistake: an unknown field
void call("enqueueTask", { path: { ns }, body: { payload: 1 } }); // mistake: `type` is missing
void call("enqueueTask", { path: { ns }, body: { type: "a", delay: 30 } }); // mistake: a duration is a string
void call("completeTask", { path: { ns, id }, body: { worker_id: "w", fence: 1, error: {} } }); // mistake: of failTask
void call("listTasks", { path: { ns }, query: { status: ["done"] } }); // mistake: an unknown status
void call("getTask", { path: { ns } }); // mistake: `id` is missing
void call("enqeueTask", { path: { ns } }); // mistake: an unknown operation
void call("getRun", { path: { ns, id } }).then((run) => run.error.code); // mistake: `error` may be null
void call("getRun", { path: { ns, id } }).then((run) => run.status); // mistake: runs have a state
void call("getTask", { path: { ns, id } }).then((task) => task.status === "done"); // mistake: an unknown status
