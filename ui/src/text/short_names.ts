// Shortens names that are too long, but keeps them distinguishable: common beginnings and ends are cut first.
import { shortInTheMiddle } from "./format";

export function shortNames(names: string[], lengthMax: number): Map<string, string> {
  const long = names.filter((name) => Array.from(name).length > lengthMax).map((name) => Array.from(name));
  const start = sharedBy(long);
  const end = sharedBy(long.map((letters) => letters.slice(start).reverse()));
  const short = names.map(
    (name) => [name, Array.from(name).length > lengthMax ? shortened(name, start, end, lengthMax) : name] as const,
  );
  return new Map(short);
}

// The length of the common prefix.
function sharedBy(all: string[][]): number {
  const [first = [], ...others] = all;
  if (others.length === 0) return 0;
  const differs = first.findIndex((letter, i) => others.some((other) => other[i] !== letter));
  return differs < 0 ? first.length : differs;
}

function shortened(name: string, start: number, end: number, lengthMax: number): string {
  const letters = Array.from(name);
  const own = letters.slice(start, letters.length - end);
  const room = lengthMax - own.length - 2;
  if (start + end === 0 || own.length === 0 || room < 2) return shortInTheMiddle(name, lengthMax);
  const before = Math.min(start, room - Math.min(end, Math.floor(room / 2)));
  const after = Math.min(end, room - before);
  const head = letters.slice(0, before).join("") + (before < start ? "…" : "");
  const tail = (after < end ? "…" : "") + letters.slice(letters.length - after).join("");
  return `${head}${own.join("")}${tail}`;
}
