// Finds what an id or a key belongs to: there is no index over all nouns, so each is asked by its own exact name.
import type { Client } from "../api/client";
import type { PageName } from "../route/route";

export interface Found {
  page: PageName;
  id: string | null;
  query?: Record<string, string>;
  what: string;
  state: string;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// What a call found; nothing where it refused: a task's id is no run's.
async function orNothing(asked: Promise<Found[]>): Promise<Found[]> {
  try {
    return await asked;
  } catch {
    return [];
  }
}

export async function search(client: Client, ns: string, text: string): Promise<Found[]> {
  const asked = uuid.test(text) ? byId(client, ns, text) : byKey(client, ns, text);
  const found = (await Promise.all(asked.map(orNothing))).flat();
  return found.filter((one, i) => found.findIndex((other) => other.page === one.page && other.id === one.id) === i);
}

function byId(client: Client, ns: string, id: string): Promise<Found[]>[] {
  return [
    client.call("GET /v1/{ns}/tasks/{id}", { path: { ns, id } }).then((task) => [
      { page: "tasks", id, what: `task ${task.type}`, state: task.status },
    ]),
    client.call("GET /v1/{ns}/runs/{id}", { path: { ns, id } }).then((run) => [
      { page: "runs", id, what: `run of ${run.workflow}`, state: run.state },
    ]),
    scheduleOf(client, ns, id),
    client.call("GET /v1/{ns}/workers", { path: { ns }, query: { limit: 500 } }).then(({ items }) =>
      items
        .filter((worker) => worker.worker_id === id)
        .map((worker) => ({ page: "workers", id: null, what: `worker on ${worker.hostname}`, state: worker.status })),
    ),
  ];
}

function byKey(client: Client, ns: string, key: string): Promise<Found[]>[] {
  const limit = 5;
  return [
    client.call("GET /v1/{ns}/runs", { path: { ns }, query: { run_key: key, limit } }).then(({ items }) =>
      items.map((run) => ({ page: "runs", id: run.id, what: `run of ${run.workflow} with this key`, state: run.state })),
    ),
    client.call("GET /v1/{ns}/tasks", { path: { ns }, query: { key, limit } }).then(({ items }) =>
      items.map((task) => ({ page: "tasks", id: task.id, what: `task ${task.type} with this key`, state: task.status })),
    ),
    client.call("GET /v1/{ns}/tasks", { path: { ns }, query: { type: key, limit: 1 } }).then(({ items }) =>
      items.slice(0, 1).map(() => ({ page: "tasks", id: null, query: { type: key }, what: "all tasks of this type", state: "" })),
    ),
    client.call("GET /v1/{ns}/definitions/{name}", { path: { ns, name: key } }).then((definition) => [
      { page: "definitions", id: definition.name, what: "the workflow of this name", state: "" },
    ]),
    scheduleOf(client, ns, key),
  ];
}

async function scheduleOf(client: Client, ns: string, nameOrId: string): Promise<Found[]> {
  const { name, enabled } = await client.call("GET /v1/{ns}/schedules/{id}", { path: { ns, id: nameOrId } });
  return [{ page: "schedules", id: name, what: `the schedule ${name}`, state: enabled ? "active" : "paused" }];
}
