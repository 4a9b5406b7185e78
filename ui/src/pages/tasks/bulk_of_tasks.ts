// Retry or cancel all tasks that a filter finds. Tasks have no dry run on the server: they are counted by listing.
import type { Client } from "../../api/client";
import type { Bulk, Count } from "../../parts/bulk_dialog";

type Verb = "retry" | "cancel";
export type TaskFilter = Record<string, string>;

// What a verb can do nothing to is left out before it is counted.
const statusesFor: Record<Verb, string[]> = {
  retry: ["failed", "dead_letter"],
  cancel: ["pending", "blocked", "claimed", "running"],
};
const countedMax = 20; // pages of 500

export function bulkOfTasks(client: Client, ns: string, verb: Verb, asked: TaskFilter): Bulk {
  const filter = { ...asked, status: narrowed(asked["status"], statusesFor[verb]).join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "task",
    filterInWords: `In ${ns}: ${Object.entries(filter)
      .map(([name, value]) => `${name} ${value.replaceAll(",", " or ")}`)
      .join(", ")}.`,
    count: (signal) => countTasks(client, ns, filter, signal),
    act: (limit) => client.call(`POST /v1/{ns}/tasks/${verb}`, { path: { ns }, body: { filter, limit } }),
  };
}

function narrowed(asked: string | undefined, possible: string[]): string[] {
  const wanted = (asked ?? "").split(",").filter((status) => possible.includes(status));
  return wanted.length > 0 ? wanted : possible;
}

async function countTasks(client: Client, ns: string, filter: TaskFilter, signal: AbortSignal): Promise<Count> {
  let matched = 0;
  let cursor: string | null = "";
  for (let page = 0; page < countedMax && cursor !== null; page += 1) {
    const found: { items: unknown[]; next_cursor: string | null } = await client.call("GET /v1/{ns}/tasks", {
      path: { ns },
      query: { ...filter, limit: 500, cursor },
      signal,
    });
    matched += found.items.length;
    cursor = found.next_cursor;
  }
  return { matched, isMore: cursor !== null };
}
