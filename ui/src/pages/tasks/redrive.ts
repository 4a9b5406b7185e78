// Puts back all dead letters of one fingerprint, those that the page never saw included: the tasks of the type are read
// page by page, since a message has its shape in this page only, and each that has the fingerprint is retried.
import type { Client } from "../../api/client";
import type { Page, Task } from "../../api/types";
import { deadStatuses, fingerprintOfTask, type DeadGroup } from "./dead_groups";

const atOnce = 6; // as many as a browser sends to one server anyway

export interface Redriving {
  onProgress: (changed: number) => void;
  isStopped: () => boolean;
}

export async function redriveGroup(client: Client, ns: string, group: DeadGroup, redriving: Redriving): Promise<number> {
  let changed = 0;
  let cursor: string | null = "";
  while (cursor !== null && !redriving.isStopped()) {
    // The oldest first: what comes back meanwhile, or fails again, is not met a second time.
    const page: Page<Task> = await client.call("GET /v1/{ns}/tasks", {
      path: { ns },
      query: { type: group.type, status: deadStatuses, order: "asc", limit: 500, cursor },
    });
    const ids = page.items.filter((task) => fingerprintOfTask(task) === group.fingerprint).map((task) => task.id);
    changed = await retryAll(client, ns, ids, changed, redriving);
    cursor = page.next_cursor;
  }
  return changed;
}

// One that somebody else has put back already is not counted.
async function retryAll(client: Client, ns: string, ids: string[], before: number, { onProgress, isStopped }: Redriving): Promise<number> {
  let next = 0;
  let changed = before;
  const lane = async () => {
    for (let id = ids[next++]; id !== undefined && !isStopped(); id = ids[next++]) {
      try {
        await client.call("POST /v1/{ns}/tasks/{id}/retry", { path: { ns, id } });
        changed += 1;
      } catch (error) {
        if ((error as { status?: number }).status !== 409) throw error;
      }
      onProgress(changed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return changed;
}
