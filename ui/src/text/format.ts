// Numbers and times in readable form.

const unitMs: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// "1500ms", "30s", as in the API; null if it is not a duration.
export function durationMs(text: string | null): number | null {
  const found = text === null ? null : /^(-?[\d.]+)(us|ms|s|m|h|d)$/.exec(text);
  return found ? Number(found[1]) * (unitMs[found[2] ?? ""] ?? 0) : null;
}

export function formatMs(ms: number): string {
  if (ms < 1) return "0 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function formatAge(time: string | null, now: number): string {
  if (!time) return "–";
  const ms = now - Date.parse(time);
  if (ms < -1000) return `in ${formatMs(-ms)}`;
  return ms < 1000 ? "now" : `${formatMs(ms)} ago`;
}

// In the user's time zone; the title of the element shows the exact UTC time.
export function formatClock(time: string): string {
  const at = new Date(time);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function formatCount(n: number): string {
  return n < 1_000_000 ? grouped.format(n) : `${(n / 1_000_000).toFixed(2)} M`;
}

export function formatRate(perSecond: number): string {
  if (perSecond === 0) return "0";
  return perSecond < 10 ? perSecond.toFixed(1) : grouped.format(perSecond);
}

// The end of a UUIDv7 distinguishes ids of the same moment.
export function shortId(id: string): string {
  return id.length > 13 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

export function inWords(state: string): string {
  return state.replaceAll("_", " ");
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

// A time in the format of a time field, in the user's time zone, and back.
export function localTime(utc: string): string {
  const at = new Date(utc);
  if (utc === "" || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function utcTime(local: string): string {
  const at = new Date(local);
  return local === "" || Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

const namespacePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

// The same commands with a namespace other than the default one.
export function commandsIn(namespace: string, commands: string): string {
  if (namespace === "default" || !namespacePattern.test(namespace)) return commands;
  const isOurs = (line: string) => line.startsWith("pawl ") && !line.includes("--namespace");
  return commands
    .split("\n")
    .map((line) => (isOurs(line) ? `${line} --namespace ${namespace}` : line))
    .join("\n");
}

// The end of a name often distinguishes it from others.
export function shortInTheMiddle(name: string, lengthMax: number): string {
  const letters = Array.from(name);
  if (letters.length <= lengthMax) return name;
  const end = Math.floor((lengthMax - 1) / 2);
  return `${letters.slice(0, lengthMax - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}

// After a retry by an operator there may be more attempts than the policy allows: the maximum is then omitted.
export function attemptsInWords(attempt: number, max: number, words: { of: string; any: string }): string {
  if (max < 0) return `${attempt}${words.of}${words.any}`;
  return max < attempt ? String(attempt) : `${attempt}${words.of}${max}`;
}
