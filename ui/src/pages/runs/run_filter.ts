// The filters of the list of runs: what the server filters by, and what only this page can (text).
import type { Client } from "../../api/client";
import type { Page, Run } from "../../api/types";
import { filterInWords, previewMax, type Bulk } from "../../parts/bulk_dialog";

export interface RunFilter {
  asked: Record<string, string>; // of the server
  isRetrying: boolean;
  text: string;
}

// *retrying* stands among the states, as people think of it; to the server it is a filter of its own.
export function filterFrom(query: URLSearchParams): RunFilter {
  const { text = "", state = "", ...asked } = Object.fromEntries(query);
  const states = state.split(",").filter((one) => one !== "");
  const known = states.filter((one) => one !== "retrying").join(",");
  return { asked: { ...asked, ...(known ? { state: known } : {}) }, isRetrying: states.includes("retrying"), text: text.trim().toLowerCase() };
}

function queryOf({ asked, isRetrying }: RunFilter) {
  return isRetrying ? { ...asked, retrying: true } : asked;
}

export function loadRuns(client: Client, ns: string, filter: RunFilter, cursor: string, signal: AbortSignal): Promise<Page<Run>> {
  return client.call("GET /v1/{ns}/runs", { path: { ns }, query: { ...queryOf(filter), limit: 100, cursor }, signal });
}

export function hasText(run: Run, text: string): boolean {
  if (text === "") return true;
  const all = [run.id, run.workflow, run.run_key, run.custom_status, run.error?.code, run.error?.message, ...Object.entries(run.labels).flat()];
  return all.some((part) => part?.toLowerCase().includes(text));
}

export function bulkOfRuns(client: Client, ns: string, verb: "retry" | "cancel", filter: RunFilter): Bulk {
  const possible = verb === "retry" ? ["failed"] : ["created", "running", "sleeping", "paused"];
  const wanted = (filter.asked["state"] ?? "").split(",").filter((state) => possible.includes(state));
  const asked = { ...queryOf(filter), state: (wanted.length > 0 ? wanted : possible).join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "run",
    filterInWords: `In ${ns}${filter.isRetrying ? ", retrying" : ""}: ${filterInWords({ ...filter.asked, state: asked.state })}.`,
    count: async (signal) => {
      const { matched } = await client.call(`POST /v1/{ns}/runs/${verb}`, {
        path: { ns },
        body: { filter: asked, limit: previewMax, dry_run: true },
        signal,
      });
      return { matched, isMore: matched >= previewMax };
    },
    act: (limit) => client.call(`POST /v1/{ns}/runs/${verb}`, { path: { ns }, body: { filter: asked, limit } }),
  };
}
