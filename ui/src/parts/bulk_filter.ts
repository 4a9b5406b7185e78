// The filter of a bulk action, narrowed to the possible states, and in words.

// The requested states that the action can apply to, or all possible states if none is requested. An empty result means
// that the action cannot apply: it never goes beyond the requested states.
export function narrowed(requested: string | undefined, possible: readonly string[]): string[] {
  const wanted = (requested ?? "").split(",").filter((state) => state !== "");
  return wanted.length === 0 ? [...possible] : wanted.filter((state) => possible.includes(state));
}

export function filterInWords(filter: Record<string, string>): string {
  return Object.entries(filter)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} ${value.replaceAll(",", " or ")}`)
    .join(", ");
}
