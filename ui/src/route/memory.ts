// The state of a page for navigation back to it: the loaded rows and the scroll position. It is kept only in the page's
// memory, and cleared on every sign-in and sign-out.

const placesMax = 20;
const kept = new Map<string, Map<string, unknown>>(); // by place, then by name; the latest last

export function remember(place: string, name: string, value: unknown): void {
  if (place === "") return;
  const things = kept.get(place) ?? new Map<string, unknown>();
  things.set(name, value);
  kept.delete(place);
  kept.set(place, things);
  for (const oldest of kept.keys()) {
    if (kept.size <= placesMax) break;
    kept.delete(oldest);
  }
}

export function remembered<Value>(place: string, name: string): Value | undefined {
  return kept.get(place)?.get(name) as Value | undefined;
}

export function forgetAll(): void {
  kept.clear();
}
