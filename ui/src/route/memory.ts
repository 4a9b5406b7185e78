// What a page held when it was left, for whoever goes back to it: the rows that were read, how far they were scrolled. It
// is in the memory of the page only, and goes when somebody signs in or out.

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
