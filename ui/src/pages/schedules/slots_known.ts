// The number of given slots that exist already: a backfill skips them, and its response does not distinguish them.
import type { Client } from "../../api/client";
import type { Firing } from "../../api/calls";
import type { Page } from "../../api/types";

const pagesMax = 4; // of 500: a longer wait is not worth the number

// Returns null if there are too many firings to count. `times` is sorted.
export async function slotsKnown(
  client: Client,
  path: { ns: string; id: string },
  times: string[],
  signal: AbortSignal,
): Promise<number | null> {
  const wanted = new Set(times.map((time) => Date.parse(time)));
  const first = Math.min(...wanted);
  let known = 0;
  let cursor: string | null = "";
  for (let page = 0; page < pagesMax && cursor !== null && wanted.size > 0; page += 1) {
    const { items, next_cursor }: Page<Firing> = await client.call("GET /v1/{ns}/schedules/{id}/firings", {
      path,
      query: { limit: 500, cursor },
      signal,
    });
    known += items.filter((firing) => wanted.has(Date.parse(firing.fire_at))).length;
    // Sorted from the latest: the remaining pages are before the first slot.
    cursor = Date.parse(items.at(-1)?.fire_at ?? "") < first ? null : next_cursor;
  }
  return cursor === null || wanted.size === 0 ? known : null;
}
