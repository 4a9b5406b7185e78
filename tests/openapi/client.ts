// A small client on the generated types: it must compile under `strict`.
import type { components, operations } from "./pawl";

type Schemas = components["schemas"];
type Operations = keyof operations;
type Json<T> = T extends { content: { "application/json": infer Value } } ? Value : undefined;
type Successes<Name extends Operations> = operations[Name]["responses"] extends infer All
  ? { [Status in keyof All]: Status extends 200 | 201 | 202 ? Json<All[Status]> : never }[keyof All]
  : never;
type Body<Name extends Operations> = operations[Name] extends { requestBody: infer Given }
  ? Json<NonNullable<Given>>
  : operations[Name] extends { requestBody?: infer Given }
    ? Json<NonNullable<Given>> | undefined
    : undefined;
type Path<Name extends Operations> = operations[Name]["parameters"]["path"];
type Query<Name extends Operations> = operations[Name]["parameters"]["query"];

export declare function call<Name extends Operations>(
  name: Name,
  given: { path: Path<Name>; query?: Query<Name>; body?: Body<Name> },
): Promise<Successes<Name>>;

const ns = "default";

export async function work(handle: (task: Schemas["ClaimedTask"]) => unknown): Promise<number> {
  const { task } = await call("enqueueTask", { path: { ns }, body: { type: "email.send", payload: { to: "a" }, priority: 3 } });
  const status: "blocked" | "pending" | "claimed" | "running" | "completed" | "failed" | "dead_letter" | "cancelled" = task.status;
  const claimed = await call("claimTasks", { path: { ns }, body: { worker_id: "w1", queues: [task.queue], max: 5 } });
  for (const one of claimed.tasks) {
    const fence: number = one.lease?.fence ?? 0;
    try {
      const output = handle(one);
      await call("completeTask", { path: { ns, id: one.id }, body: { worker_id: "w1", fence, output } });
    } catch {
      await call("failTask", { path: { ns, id: one.id }, body: { worker_id: "w1", fence, error: { code: "boom", retryable: true } } });
    }
  }
  const found = await call("getTask", { path: { ns, id: task.id } });
  const last = found.attempts.at(-1);
  return status === "pending" && last?.error?.code === "boom" ? found.attempt : 0;
}

export async function failedRuns(): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Schemas["RunPage"] = await call("listRuns", { path: { ns }, query: { state: ["failed", "cancelled"], ...(cursor === null ? {} : { cursor }) } });
    for (const run of page.items) ids.push(`${run.id} ${run.error?.message ?? ""}`);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

export function explain(problem: Schemas["Problem"]): string {
  if (problem.code === "stale_lease") return "the lease was lost";
  return (problem.errors ?? []).map((error) => `${error.field}: ${error.message}`).join("\n") || problem.detail;
}

export const event = (data: string): Schemas["RunEvent"]["type"] => (JSON.parse(data) as Schemas["RunEvent"]).type;
export const secret = async (): Promise<string | null> =>
  (await call("createToken", { path: undefined as never, body: { role: "worker", namespaces: ["*"] } })).token;
