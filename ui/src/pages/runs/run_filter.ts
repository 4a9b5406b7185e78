// The filters of the list of runs: what the server filters by, and what only this page can (retrying, text).
import type { Client } from "../../api/client";
import type { Page, Run } from "../../api/types";
import type { Bulk } from "../../parts/bulk_dialog";
import { retryingRuns } from "./retrying";

export interface RunFilter {
  asked: Record<string, string>; // of the server
  isRetrying: boolean;
  text: string;
}

const previewMax = 10_000;

export function filterFrom(query: URLSearchParams): RunFilter {
  const { text = "", ...asked } = Object.fromEntries(query);
  const states = (asked["state"] ?? "").split(",").filter((state) => state !== "");
  const isRetrying = states.includes("retrying");
  const known = states.filter((state) => state !== "retrying").join(",");
  return { asked: known ? { ...asked, state: known } : without(asked, "state"), isRetrying, text: text.trim().toLowerCase() };
}

function without(fields: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

export async function loadRuns(client: Client, ns: string, filter: RunFilter, cursor: string, signal: AbortSignal): Promise<Page<Run>> {
  if (!filter.isRetrying) {
    return client.call("GET /v1/{ns}/runs", { path: { ns }, query: { ...filter.asked, limit: 100, cursor }, signal });
  }
  const page = await retryingRuns(client, ns, signal);
  return { ...page, items: page.items.filter((run) => matches(run, filter.asked)) };
}

// As the server would: the retrying runs were found another way.
function matches(run: Run, asked: Record<string, string>): boolean {
  const [label = "", value = ""] = (asked["label"] ?? "").split(/:(.*)/, 2);
  return (
    (!asked["workflow"] || run.workflow === asked["workflow"]) &&
    (!asked["run_key"] || run.run_key === asked["run_key"]) &&
    (!label || run.labels[label] === value) &&
    (!asked["created_after"] || run.created_at >= asked["created_after"]) &&
    (!asked["created_before"] || run.created_at < asked["created_before"])
  );
}

export function hasText(run: Run, text: string): boolean {
  if (text === "") return true;
  const all = [run.id, run.workflow, run.run_key, run.custom_status, run.error?.code, run.error?.message, ...Object.entries(run.labels).flat()];
  return all.some((part) => part?.toLowerCase().includes(text));
}

export function bulkOfRuns(client: Client, ns: string, verb: "retry" | "cancel", filter: RunFilter): Bulk {
  const possible = verb === "retry" ? ["failed"] : ["created", "running", "sleeping", "paused"];
  const wanted = (filter.asked["state"] ?? "").split(",").filter((state) => possible.includes(state));
  const asked = { ...filter.asked, state: (wanted.length > 0 ? wanted : possible).join(",") };
  return {
    verb: verb === "retry" ? "Retry" : "Cancel",
    noun: "run",
    filterInWords: `In ${ns}: ${Object.entries(asked)
      .map(([name, value]) => `${name} ${value.replaceAll(",", " or ")}`)
      .join(", ")}.`,
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
