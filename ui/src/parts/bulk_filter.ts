// What an action on everything that a filter finds is about, and in which words.

// The states that were asked for and that the action can do something to; all that it can, if none was asked for. None: it
// can do nothing, and never goes beyond what was asked for.
export function narrowed(asked: string | undefined, possible: readonly string[]): string[] {
  const wanted = (asked ?? "").split(",").filter((state) => state !== "");
  return wanted.length === 0 ? [...possible] : wanted.filter((state) => possible.includes(state));
}

export function filterInWords(filter: Record<string, string>): string {
  return Object.entries(filter)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} ${value.replaceAll(",", " or ")}`)
    .join(", ");
}
