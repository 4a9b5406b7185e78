// A calendar strip around now: slots of a schedule in cells whose size suits their frequency, in the time zone of the
// schedule.

export interface Slot {
  at: number; // ms
  state: "fired" | "skipped" | "waiting" | "next";
}

export interface Cell<One extends Slot> {
  key: number;
  name: string;
  note: string;
  isNow: boolean;
  slots: One[]; // in order
}

export type Unit = "10 seconds" | "minute" | "15 minutes" | "hour" | "day" | "week" | "month";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const unitMs: Record<Unit, number> = {
  "10 seconds": 10 * secondMs,
  minute: minuteMs,
  "15 minutes": 15 * minuteMs,
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 28 * dayMs,
};
const units = Object.keys(unitMs) as Unit[];
const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// The smallest unit that is at least the median distance between slots, so that a cell usually contains a slot.
export function unitFor(times: number[]): Unit {
  const sorted = [...times].sort((a, b) => a - b);
  const distances = sorted.slice(1).map((time, i) => time - (sorted[i] ?? time));
  distances.sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? dayMs;
  return units.find((unit) => unitMs[unit] >= usual) ?? "month";
}

export function cellsOf<One extends Slot>(
  slots: One[],
  unit: Unit,
  now: number,
  zone: string,
  before = 6,
  after = 6,
): Cell<One>[] {
  const local = localClock(zone);
  const here = numberOf(local(now), unit);
  const cells = Array.from({ length: before + 1 + after }, (_, i): Cell<One> => {
    const key = here - before + i;
    return { key, ...wordsOf(key, unit), isNow: i === before, slots: [] };
  });
  for (const slot of slots) cells[numberOf(local(slot.at), unit) - here + before]?.slots.push(slot);
  for (const cell of cells) cell.slots.sort((a, b) => a.at - b.at);
  return cells;
}

// The number of the cell that contains a local time.
function numberOf(local: number, unit: Unit): number {
  const at = new Date(local);
  if (unit === "month") return at.getUTCFullYear() * 12 + at.getUTCMonth();
  if (unit === "week") return Math.floor((local / dayMs + 3) / 7); // 1970 began on a Thursday, weeks begin on Monday
  return Math.floor(local / unitMs[unit]);
}

function wordsOf(number: number, unit: Unit): { name: string; note: string } {
  if (unit === "month") return { name: monthNames[number % 12] ?? "", note: String(Math.floor(number / 12)) };
  const start = unit === "week" ? (number * 7 - 3) * dayMs : number * unitMs[unit];
  const at = new Date(start);
  const date = `${at.getUTCDate()} ${monthNames[at.getUTCMonth()]}`;
  const day = dayNames[at.getUTCDay()] ?? "";
  if (unit === "week") return { name: date, note: "week" };
  if (unit === "day") return { name: day, note: date };
  return { name: clockOf(start, unit === "10 seconds"), note: `${day} ${at.getUTCDate()}` };
}

function clockOf(local: number, hasSeconds: boolean): string {
  return new Date(local).toISOString().slice(11, hasSeconds ? 19 : 16);
}

// The local time in the zone, as if it were UTC. A zone that the browser does not support is shown as UTC.
export function localClock(zone: string): (at: number) => number {
  const format = formatIn(zone);
  return (at) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
    return Date.UTC(
      part["year"] ?? 0,
      (part["month"] ?? 1) - 1,
      part["day"],
      part["hour"],
      part["minute"],
      part["second"],
    );
  };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric";
  const options = {
    hourCycle: "h23",
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const;
  try {
    return new Intl.DateTimeFormat("en", { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" });
  }
}

// Distinguishes a slot from others in its cell: the time, or only its seconds if the cell shows the rest.
export function slotClock(at: number, zone: string, unit: Unit): string {
  const isShort = unit === "minute" || unit === "10 seconds";
  return isShort ? `:${clockOf(localClock(zone)(at), true).slice(-2)}` : zonedClock(at, zone);
}

export function isWithinDay(unit: Unit): boolean {
  return unitMs[unit] < dayMs;
}

// "Mon 16 Nov 03:00", with seconds if there are any.
export function zonedTime(at: number, zone: string): string {
  const local = localClock(zone)(at);
  const date = new Date(local);
  return `${dayNames[date.getUTCDay()]} ${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${zonedClock(at, zone)}`;
}

export function zonedClock(at: number, zone: string): string {
  const local = localClock(zone)(at);
  return clockOf(local, local % minuteMs !== 0);
}
