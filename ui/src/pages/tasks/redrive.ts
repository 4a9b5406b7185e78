// Redrives all dead letters of one fingerprint, including those that the page has not loaded. It reads the tasks of the
// type page by page, since only this page computes fingerprints. Tasks without a run are retried one by one; the others
// are retried by retrying their runs, which continue from the failure.
import type { Client } from "../../api/client";
import type { Task } from "../../api/calls";
import type { Page } from "../../api/types";
import { deadStatuses, fingerprintOfTask, runsOf, type DeadGroup } from "./dead_groups";

const requestsMax = 6; // as many as a browser sends to one server concurrently

export interface Redriving {
  client: Client;
  ns: string;
  group: DeadGroup;
  onProgress: (changed: number) => void;
  isStopped: () => boolean;
}

export interface Redriven {
  changed: number;
  refused: number; // their state no longer allows it: another client was faster, or the run was undone
}

export function redriveTasks(redriving: Redriving): Promise<Redriven> {
  const { client, ns } = redriving;
  const retry = (id: string) => client.call("POST /v1/{ns}/tasks/{id}/retry", { path: { ns, id } });
  return redrive(redriving, (tasks) => tasks.filter((task) => task.run_id === null).map((task) => task.id), retry);
}

export function retryRuns(redriving: Redriving): Promise<Redriven> {
  const { client, ns } = redriving;
  const retry = (id: string) => client.call("POST /v1/{ns}/runs/{id}/retry", { path: { ns, id }, body: {} });
  return redrive(redriving, runsOf, retry);
}

async function redrive(
  redriving: Redriving,
  idsOf: (tasks: Task[]) => string[],
  retry: (id: string) => Promise<unknown>,
): Promise<Redriven> {
  const { client, ns, group, isStopped } = redriving;
  const result: Redriven = { changed: 0, refused: 0 };
  const seen = new Set<string>();
  let cursor: string | null = "";
  while (cursor !== null && !isStopped()) {
    // The oldest first, so that tasks that return or fail again meanwhile are not processed twice.
    const page: Page<Task> = await client.call("GET /v1/{ns}/tasks", {
      path: { ns },
      query: { type: group.type, status: deadStatuses, order: "asc", limit: 500, cursor },
    });
    const ids = idsOf(page.items.filter((task) => fingerprintOfTask(task) === group.fingerprint)).filter(
      (id) => !seen.has(id),
    );
    ids.forEach((id) => seen.add(id));
    await retryAll(ids, retry, result, redriving);
    cursor = page.next_cursor;
  }
  return result;
}

async function retryAll(
  ids: string[],
  retry: (id: string) => Promise<unknown>,
  result: Redriven,
  { onProgress, isStopped }: Redriving,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let id = ids[next++]; id !== undefined && !isStopped(); id = ids[next++]) {
      try {
        await retry(id);
        result.changed += 1;
      } catch (error) {
        if ((error as { status?: number }).status !== 409) throw error;
        result.refused += 1;
      }
      onProgress(result.changed);
    }
  };
  await Promise.all(Array.from({ length: requestsMax }, lane));
}
