// The response type of each call. The server's description provides the request types; response types are declared here
// once, so that pages need no casts.
import type {
  Backfilled,
  BulkResult,
  DefinitionRow,
  DefinitionVersion,
  Firing,
  Node,
  Page,
  Queue,
  Replay,
  Run,
  RunEvent,
  RunGraph,
  RunWithTasks,
  Schedule,
  Task,
  TaskWithAttempts,
  Worker,
} from "./types";

export interface Answers {
  "GET /metrics": string;
  "GET /v1/admin/nodes": Page<Node>;
  "GET /v1/{ns}/queues": Page<Queue>;
  "PUT /v1/{ns}/queues/{name}": Queue;
  "GET /v1/{ns}/tasks": Page<Task>;
  "GET /v1/{ns}/tasks/{id}": TaskWithAttempts;
  "POST /v1/{ns}/tasks/{id}/retry": Task;
  "POST /v1/{ns}/tasks/{id}/cancel": Task;
  "POST /v1/{ns}/tasks/retry": BulkResult;
  "POST /v1/{ns}/tasks/cancel": BulkResult;
  "GET /v1/{ns}/workers": Page<Worker>;
  "POST /v1/{ns}/workers/{id}/drain": Worker;
  "GET /v1/{ns}/definitions": Page<DefinitionRow>;
  "GET /v1/{ns}/definitions/{name}": DefinitionVersion;
  "GET /v1/{ns}/definitions/{name}/versions/{version}": DefinitionVersion;
  "GET /v1/{ns}/runs": Page<Run>;
  "GET /v1/{ns}/runs/{id}": RunWithTasks;
  "GET /v1/{ns}/runs/{id}/events": Page<RunEvent>;
  "GET /v1/{ns}/runs/{id}/graph": RunGraph;
  "GET /v1/{ns}/runs/{id}/replay": Replay;
  "POST /v1/{ns}/runs/retry": BulkResult;
  "POST /v1/{ns}/runs/cancel": BulkResult;
  "POST /v1/{ns}/runs/{id}/pause": Run;
  "POST /v1/{ns}/runs/{id}/resume": Run;
  "POST /v1/{ns}/runs/{id}/cancel": Run;
  "POST /v1/{ns}/runs/{id}/retry": Run;
  "POST /v1/{ns}/runs/{id}/compensate": Run;
  "POST /v1/{ns}/runs/{id}/terminate": Run;
  "POST /v1/{ns}/runs/{id}/skip": Run;
  "POST /v1/{ns}/runs/{id}/rewind": { run: Run };
  "POST /v1/{ns}/runs/{id}/signals/{name}": Run;
  "GET /v1/{ns}/schedules": Page<Schedule>;
  "POST /v1/{ns}/schedules": Schedule;
  "GET /v1/{ns}/schedules/{id}": Schedule;
  "PATCH /v1/{ns}/schedules/{id}": Schedule;
  "DELETE /v1/{ns}/schedules/{id}": "";
  "POST /v1/{ns}/schedules/{id}/pause": Schedule;
  "POST /v1/{ns}/schedules/{id}/resume": Schedule;
  "POST /v1/{ns}/schedules/{id}/trigger": Firing;
  "POST /v1/{ns}/schedules/{id}/backfill": Backfilled;
  "GET /v1/{ns}/schedules/{id}/firings": Page<Firing>;
  "GET /v1/{ns}/schedules/{id}/next": { times: string[] };
  "POST /v1/{ns}/workflows/{name}/start": { created: boolean; run: Run };
}
