// Retries or cancels all tasks that match a filter.
import type { Client } from "../../api/client";
import { previewMax, type Bulk } from "../../parts/bulk_dialog";
import { filterInWords, narrowed } from "../../parts/bulk_filter";
import { plural } from "../../text/format";

type Verb = "retry" | "cancel";
export type TaskFilter = Record<string, string>;

// Statuses that a verb cannot act on are excluded before counting.
const statusesFor: Record<Verb, string[]> = {
  retry: ["failed", "dead_letter"],
  cancel: ["pending", "blocked", "claimed", "running"],
};
const done: Record<Verb, string> = { retry: "retried", cancel: "cancelled" };
const lookedAtMax = 500;

export function bulkOfTasks(client: Client, ns: string, verb: Verb, asked: TaskFilter): Bulk {
  const statuses = narrowed(asked["status"], statusesFor[verb]);
  const isImpossible = statuses.length === 0;
  const filter = { ...asked, status: statuses.join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "task",
    filterInWords: `In ${ns}: ${filterInWords(isImpossible ? asked : filter)}.`,
    ...(isImpossible
      ? { impossible: `Only what is ${statusesFor[verb].join(" or ").replace("_", " ")} can be ${done[verb]}.` }
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
        query: { ...filter, limit: lookedAtMax },
      });
      const ofRuns = items.filter((task) => task.run_id !== null).length;
      if (verb === "cancel" || ofRuns === 0) return "What matched has changed meanwhile.";
      return `${plural(ofRuns, "task")} of those that match belong to runs, which have noted their end: retry the runs, by filter on the page of runs.`;
    },
  };
}
