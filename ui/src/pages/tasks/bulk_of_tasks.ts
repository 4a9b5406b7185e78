// Retry or cancel all tasks that a filter finds.
import type { Client } from "../../api/client";
import { filterInWords, previewMax, type Bulk } from "../../parts/bulk_dialog";

type Verb = "retry" | "cancel";
export type TaskFilter = Record<string, string>;

// What a verb can do nothing to is left out before it is counted.
const statusesFor: Record<Verb, string[]> = {
  retry: ["failed", "dead_letter"],
  cancel: ["pending", "blocked", "claimed", "running"],
};

export function bulkOfTasks(client: Client, ns: string, verb: Verb, asked: TaskFilter): Bulk {
  const filter = { ...asked, status: narrowed(asked["status"], statusesFor[verb]).join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "task",
    filterInWords: `In ${ns}: ${filterInWords(filter)}.`,
    count: async (signal) => {
      const body = { filter, limit: previewMax, dry_run: true };
      const { matched } = await client.call(`POST /v1/{ns}/tasks/${verb}`, { path: { ns }, body, signal });
      return { matched, isMore: matched >= previewMax };
    },
    act: (limit) => client.call(`POST /v1/{ns}/tasks/${verb}`, { path: { ns }, body: { filter, limit } }),
  };
}

function narrowed(asked: string | undefined, possible: string[]): string[] {
  const wanted = (asked ?? "").split(",").filter((status) => possible.includes(status));
  return wanted.length > 0 ? wanted : possible;
}
