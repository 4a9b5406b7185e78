// Finds the objects with an id or a name. There is no index over all nouns, so each noun is searched by exact name.
// Short lists are loaded as a whole, since a browser logs an error for every "not found" response.
import type { Client } from "../api/client";
import { Problem, problemOf } from "../api/problem";
import type { Queue } from "../api/calls";
import type { Page } from "../api/types";
import type { PageName } from "../route/route";

export interface Found {
  page: PageName;
  id: string | null;
  query?: Record<string, string>;
  what: string;
  state: string;
}

export interface Results {
  found: Found[];
  problem: Problem | null; // a call failed, so there may be more results
}

interface SearchInput {
  client: Client;
  ns: string;
  text: string;
  queues: Queue[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const listMax = 500;

export async function search(input: SearchInput): Promise<Results> {
  const calls = uuid.test(input.text) ? byId(input) : byName(input);
  const answers = await Promise.allSettled(calls);
  const all = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const found = all.filter((one, i) => all.findIndex((other) => other.page === one.page && other.id === one.id) === i);
  const refused = answers.find((answer) => answer.status === "rejected");
  return { found, problem: refused ? problemOf(refused.reason) : null };
}

function byId(input: SearchInput): Promise<Found[]>[] {
  return [runOrTask(input), schedulesOf(input), workersOf(input)];
}

function byName(input: SearchInput): Promise<Found[]>[] {
  const { client, ns, text, queues } = input;
  const limit = 5;
  return [
    client.call("GET /v1/{ns}/runs", { path: { ns }, query: { run_key: text, limit } }).then(({ items }) =>
      items.map((run) => ({
        page: "runs",
        id: run.id,
        what: `run of ${run.workflow} (matches key)`,
        state: run.state,
      })),
    ),
    client.call("GET /v1/{ns}/tasks", { path: { ns }, query: { key: text, limit } }).then(({ items }) =>
      items.map((task) => ({
        page: "tasks",
        id: task.id,
        what: `task ${task.type} (matches key)`,
        state: task.status,
      })),
    ),
    client
      .call("GET /v1/{ns}/tasks", { path: { ns }, query: { type: text, limit: 1 } })
      .then(({ items }) =>
        items
          .slice(0, 1)
          .map(() => ({ page: "tasks", id: null, query: { type: text }, what: "all tasks of this type", state: "" })),
      ),
    definitionsOf(input),
    schedulesOf(input),
    workersOf(input),
    Promise.resolve(
      queues
        .filter((queue) => queue.name === text)
        .map((queue) => ({
          page: "queues",
          id: queue.name,
          what: `queue ${queue.name}`,
          state: queue.paused ? "paused" : "open",
        })),
    ),
  ];
}

async function runOrTask({ client, ns, text: id }: SearchInput): Promise<Found[]> {
  const run = await orNothing(client.call("GET /v1/{ns}/runs/{id}", { path: { ns, id } }));
  if (run) return [{ page: "runs", id, what: `run of ${run.workflow}`, state: run.state }];
  const task = await orNothing(client.call("GET /v1/{ns}/tasks/{id}", { path: { ns, id } }));
  return task ? [{ page: "tasks", id, what: `task ${task.type}`, state: task.status }] : [];
}

async function definitionsOf({ client, ns, text }: SearchInput): Promise<Found[]> {
  const list = client.call("GET /v1/{ns}/definitions", { path: { ns }, query: { limit: listMax } });
  const one = () => client.call("GET /v1/{ns}/definitions/{name}", { path: { ns, name: text } });
  const definition = await inList(list, (row) => row.name === text, one);
  return definition
    ? [{ page: "definitions", id: definition.name, what: `workflow ${definition.name}`, state: "" }]
    : [];
}

async function schedulesOf({ client, ns, text }: SearchInput): Promise<Found[]> {
  const list = client.call("GET /v1/{ns}/schedules", { path: { ns }, query: { limit: listMax } });
  const one = () => client.call("GET /v1/{ns}/schedules/{id}", { path: { ns, id: text } });
  const schedule = await inList(list, (row) => row.name === text || row.id === text, one);
  return schedule
    ? [
        {
          page: "schedules",
          id: schedule.name,
          what: `schedule ${schedule.name}`,
          state: schedule.enabled ? "active" : "paused",
        },
      ]
    : [];
}

async function workersOf({ client, ns, text }: SearchInput): Promise<Found[]> {
  const { items } = await client.call("GET /v1/{ns}/workers", { path: { ns }, query: { limit: listMax } });
  const found = items.filter((worker) => worker.worker_id === text || worker.hostname === text);
  return found.map((worker) => ({
    page: "workers",
    id: worker.worker_id,
    what: `worker on ${worker.hostname || "an unknown host"}`,
    state: worker.status,
  }));
}

// Finds an item in a list. It is requested alone only if the list is longer than the loaded page.
async function inList<Row>(
  list: Promise<Page<Row>>,
  isIt: (row: Row) => boolean,
  one: () => Promise<Row>,
): Promise<Row | null> {
  const { items, next_cursor } = await list;
  return items.find(isIt) ?? (next_cursor === null ? null : orNothing(one()));
}

// The result of a call, or null for "not found": a task's id is not a run's.
async function orNothing<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}
