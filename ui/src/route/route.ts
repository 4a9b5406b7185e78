// The current location: #/{namespace}/{page}/{id}?filters. The part after # never reaches a server or its logs, and
// needs no server support: the page works below any path.
import { useSyncExternalStore } from "react";

export const pages = [
  "overview",
  "runs",
  "tasks",
  "dead-letters",
  "queues",
  "workers",
  "schedules",
  "definitions",
] as const;
export type PageName = (typeof pages)[number];

export interface Route {
  ns: string;
  page: PageName;
  id: string | null;
  query: URLSearchParams;
  entry: number; // of the browser's history: going back returns to the same one
}

export function routeOf(hash: string, entry = 0): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [ns = "", page = "", id = ""] = path.split("/").map(decoded);
  return {
    ns: ns || "default",
    page: pages.includes(page as PageName) ? (page as PageName) : "overview",
    id: id || null,
    query: new URLSearchParams(search),
    entry,
  };
}

// An address typed by the user may contain invalid percent-encoding.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export interface Target {
  ns: string;
  page: PageName;
  id?: string | null;
  query?: Record<string, string>;
}

export function addressOf({ ns, page, id, query = {} }: Target): string {
  const parts = [ns, page, ...(id ? [id] : [])].map(encodeURIComponent).join("/");
  const filled = Object.entries(query).filter(([, value]) => value !== "");
  return `#/${parts}${filled.length > 0 ? `?${new URLSearchParams(filled)}` : ""}`;
}

export function goTo(target: Target): void {
  window.location.hash = addressOf(target);
}

// Filters replace the history entry: going back returns to the previous page, not to the previous letter.
export function replaceQuery(route: Route, query: Record<string, string>): void {
  window.history.replaceState(window.history.state, "", addressOf({ ...route, query }));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

let seen = { hash: "", route: routeOf("") };
let entries = 0;

// Every history entry gets a number when it is first seen.
function entryOfHistory(): number {
  const state = window.history.state as { entry?: number } | null;
  if (typeof state?.entry === "number") return state.entry;
  entries += 1;
  const entry = Date.now() * 1000 + entries; // unique across reloads
  window.history.replaceState({ entry }, "");
  return entry;
}

// The key under which a page's state is remembered for navigation back to it.
export function placeOf(route: Route): string {
  return `${route.entry} ${addressOf({ ...route, query: Object.fromEntries(route.query) })}`;
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, () => {
    const { hash } = window.location;
    if (seen.hash !== hash) seen = { hash, route: routeOf(hash, entryOfHistory()) };
    return seen.route;
  });
}
