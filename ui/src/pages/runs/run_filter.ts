// The filters of the list of runs: those of the server, and the text filter of this page.
import type { Client } from "../../api/client";
import type { Run } from "../../api/calls";
import type { Page } from "../../api/types";
import type { BulkVerb } from "../../parts/bulk_buttons";
import { previewMax, type Bulk } from "../../parts/bulk_dialog";
import { filterInWords, narrowed } from "../../parts/bulk_filter";

export interface RunFilter {
  sent: Record<string, string>; // applied by the server
  isRetrying: boolean;
  text: string;
}

// *retrying* is not a state but a separate filter: a retrying run is also running, sleeping or paused.
export function filterFrom(query: URLSearchParams): RunFilter {
  const { text = "", retrying = "", ...sent } = Object.fromEntries(query);
  return { sent, isRetrying: retrying === "true", text: text.trim().toLowerCase() };
}

function queryOf({ sent, isRetrying }: RunFilter) {
  return isRetrying ? { ...sent, retrying: true } : sent;
}

export function loadRuns(
  client: Client,
  ns: string,
  filter: RunFilter,
  cursor: string,
  signal: AbortSignal,
): Promise<Page<Run>> {
  return client.call("GET /v1/{ns}/runs", { path: { ns }, query: { ...queryOf(filter), limit: 100, cursor }, signal });
}

export function hasText(run: Run, text: string): boolean {
  if (text === "") return true;
  const all = [
    run.id,
    run.workflow,
    run.run_key,
    run.custom_status,
    run.error?.code,
    run.error?.message,
    ...Object.entries(run.labels).flat(),
  ];
  return all.some((part) => part?.toLowerCase().includes(text));
}

const statesFor: Record<BulkVerb, string[]> = {
  retry: ["failed"],
  cancel: ["created", "running", "sleeping", "paused"],
};
const done: Record<BulkVerb, string> = { retry: "retried", cancel: "cancelled" };

export function bulkOfRuns(client: Client, ns: string, verb: BulkVerb, filter: RunFilter): Bulk {
  const states = narrowed(filter.sent["state"], statesFor[verb]);
  const isImpossible = states.length === 0;
  const query = { ...queryOf(filter), state: states.join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "run",
    filterInWords: `In ${ns}${filter.isRetrying ? ", retrying" : ""}: ${filterInWords(isImpossible ? filter.sent : { ...filter.sent, state: query.state })}.`,
    ...(isImpossible ? { impossible: `Only ${statesFor[verb].join(" or ")} runs can be ${done[verb]}.` } : {}),
    count: async (signal) => {
      const { matched } = await client.call(`POST /v1/{ns}/runs/${verb}`, {
        path: { ns },
        body: { filter: query, limit: previewMax, dry_run: true },
        signal,
      });
      return { matched, isMore: matched >= previewMax };
    },
    act: (limit) => client.call(`POST /v1/{ns}/runs/${verb}`, { path: { ns }, body: { filter: query, limit } }),
    explain: async () => "The matching runs have changed since they were counted.",
  };
}
