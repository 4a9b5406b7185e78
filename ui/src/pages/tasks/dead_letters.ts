// The dead letters of a namespace, up to a limit, and which of their runs can be retried.
import type { Client } from "../../api/client";
import type { Task } from "../../api/calls";
import type { Page } from "../../api/types";
import { deadStatuses } from "./dead_groups";

const taskPagesMax = 20; // of 500: beyond that the groups say "or more"
const runPagesMax = 10;

export interface DeadLetters {
  tasks: Task[];
  isMore: boolean;
  failedRuns: ReadonlySet<string> | null; // only a failed run can be retried; null: too many to load them all
}

export async function loadDeadLetters(client: Client, ns: string, signal: AbortSignal): Promise<DeadLetters> {
  const dead = await upTo(taskPagesMax, (cursor) =>
    client.call("GET /v1/{ns}/tasks", { path: { ns }, query: { status: deadStatuses, limit: 500, cursor }, signal }),
  );
  const hasRuns = dead.items.some((task) => task.run_id !== null);
  const failed = await upTo(hasRuns ? runPagesMax : 0, (cursor) =>
    client.call("GET /v1/{ns}/runs", { path: { ns }, query: { state: "failed", limit: 500, cursor }, signal }),
  );
  const failedRuns = hasRuns && failed.isMore ? null : new Set(failed.items.map((run) => run.id));
  return { tasks: dead.items, isMore: dead.isMore, failedRuns };
}

async function upTo<Item>(
  pagesMax: number,
  load: (cursor: string) => Promise<Page<Item>>,
): Promise<{ items: Item[]; isMore: boolean }> {
  const items: Item[] = [];
  let cursor: string | null = "";
  for (let page = 0; page < pagesMax && cursor !== null; page += 1) {
    const found: Page<Item> = await load(cursor);
    items.push(...found.items);
    cursor = found.next_cursor;
  }
  return { items, isMore: cursor !== null };
}
