// Where we are: #/{namespace}/{page}/{id}?filters. The part after # never reaches a server or its logs, and needs no
// help from it: the page works under any path.
import { useSyncExternalStore } from "react";

export const pages = ["overview", "runs", "tasks", "dead-letters", "queues", "workers", "schedules", "definitions"] as const;
export type PageName = (typeof pages)[number];

export interface Route {
  ns: string;
  page: PageName;
  id: string | null;
  query: URLSearchParams;
}

export function routeOf(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [ns = "", page = "", id = ""] = path.split("/").map(decoded);
  return {
    ns: ns || "default",
    page: pages.includes(page as PageName) ? (page as PageName) : "overview",
    id: id || null,
    query: new URLSearchParams(search),
  };
}

// What somebody typed into the address may be no percent-encoding at all.
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

// Filters replace the entry: going back leads to the page before, not to the letter before.
export function replaceQuery(route: Route, query: Record<string, string>): void {
  window.history.replaceState(null, "", addressOf({ ...route, query }));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

let seen = { hash: "", route: routeOf("") };

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, () => {
    const { hash } = window.location;
    if (seen.hash !== hash) seen = { hash, route: routeOf(hash) };
    return seen.route;
  });
}
