// Retries or cancels all tasks that match a filter.
import type { Client } from "../../api/client";
import type { BulkVerb } from "../../parts/bulk_buttons";
import { previewMax, type Bulk } from "../../parts/bulk_dialog";
import { filterInWords, narrowed } from "../../parts/bulk_filter";
import { inWords, plural } from "../../text/format";

export type TaskFilter = Record<string, string>;

// Statuses that a verb cannot act on are excluded before counting.
const statusesFor: Record<BulkVerb, string[]> = {
  retry: ["failed", "dead_letter"],
  cancel: ["pending", "blocked", "claimed", "running"],
};
const done: Record<BulkVerb, string> = { retry: "retried", cancel: "cancelled" };
const sampleMax = 500;

export function bulkOfTasks(client: Client, ns: string, verb: BulkVerb, requested: TaskFilter): Bulk {
  const statuses = narrowed(requested["status"], statusesFor[verb]);
  const isImpossible = statuses.length === 0;
  const filter = { ...requested, status: statuses.join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "task",
    filterInWords: `In ${ns}: ${filterInWords(isImpossible ? requested : filter)}.`,
    ...(isImpossible
      ? { impossible: `Only ${statusesFor[verb].map(inWords).join(" or ")} tasks can be ${done[verb]}.` }
      : {}),
    count: async (signal) => {
      const body = { filter, limit: previewMax, dry_run: true };
      const { matched } = await client.call(`POST /v1/{ns}/tasks/${verb}`, { path: { ns }, body, signal });
      return { matched, isMore: matched >= previewMax };
    },
    act: (limit) => client.call(`POST /v1/{ns}/tasks/${verb}`, { path: { ns }, body: { filter, limit } }),
    explain: async () => {
      const { items } = await client.call("GET /v1/{ns}/tasks", {
        path: { ns },
        query: { ...filter, limit: sampleMax },
      });
      const ofRuns = items.filter((task) => task.run_id !== null).length;
      if (verb === "cancel" || ofRuns === 0) return "The matching tasks have changed since they were counted.";
      return `${plural(ofRuns, "matching task belongs to a run", "matching tasks belong to runs")}. Retry the runs instead, with "Retry by filter" on the Runs page.`;
    },
  };
}
