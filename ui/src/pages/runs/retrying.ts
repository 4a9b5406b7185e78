// Runs with a task that failed and waits to be tried again. To the server such a run is `running` or `sleeping`, and looks
// healthy; what gives it away is a waiting task with an attempt behind it.
import type { Client } from "../../api/client";
import type { Page, Run, Task } from "../../api/types";

const pagesMax = 4; // of 500 waiting tasks, the newest first
const runsMax = 200;

export async function retryingIds(client: Client, ns: string, signal: AbortSignal, pages = pagesMax): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | null = "";
  for (let page = 0; page < pages && cursor !== null; page += 1) {
    const found: Page<Task> = await client.call("GET /v1/{ns}/tasks", {
      path: { ns },
      query: { status: "pending", limit: 500, cursor },
      signal,
    });
    for (const task of found.items) {
      if (task.run_id && task.attempt > 0) ids.add(task.run_id);
    }
    cursor = found.next_cursor;
  }
  return ids;
}

export async function retryingRuns(client: Client, ns: string, signal: AbortSignal): Promise<Page<Run>> {
  const ids = [...(await retryingIds(client, ns, signal))].slice(0, runsMax);
  const runs = await Promise.all(ids.map((id) => client.call("GET /v1/{ns}/runs/{id}", { path: { ns, id }, signal })));
  return { items: runs.sort((a, b) => b.created_at.localeCompare(a.created_at)), next_cursor: null };
}
