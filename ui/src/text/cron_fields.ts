// Parses a cron expression as the server does (src/core/schedule/cron_read.cpp). Returns null for an invalid one: the server
// reports the error by field.

// Values from `from` to `to` with a step; a single value if both are the same.
export interface Span {
  from: number;
  to: number;
  step: number;
  isAny: boolean; // it was written as *, with or without a step
}

export type MonthDay =
  | { kind: "days"; span: Span }
  | { kind: "before-last"; days: number }
  | { kind: "nearest"; day: number }
  | { kind: "last-weekday" };

export type WeekDay =
  { kind: "days"; span: Span } | { kind: "last"; day: number } | { kind: "nth"; day: number; nth: number };

export interface CronFields {
  seconds: Span[];
  minutes: Span[];
  hours: Span[];
  monthDays: MonthDay[] | null; // null: any
  months: Span[];
  weekDays: WeekDay[] | null; // null: any
}

interface Kind {
  name: string;
  low: number;
  high: number;
  names?: string[]; // starting with `low`
}

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const second: Kind = { name: "Second", low: 0, high: 59 };
const minute: Kind = { name: "Minute", low: 0, high: 59 };
const hour: Kind = { name: "Hour", low: 0, high: 23 };
const monthDay: Kind = { name: "Day of the month", low: 1, high: 31 };
const month: Kind = { name: "Month", low: 1, high: 12, names: monthNames };
const weekDay: Kind = { name: "Day of the week", low: 0, high: 7, names: dayNames }; // 7 is also Sunday

const macros: Record<string, string> = {
  "@YEARLY": "0 0 1 1 *",
  "@ANNUALLY": "0 0 1 1 *",
  "@MONTHLY": "0 0 1 * *",
  "@WEEKLY": "0 0 * * 0",
  "@DAILY": "0 0 * * *",
  "@MIDNIGHT": "0 0 * * *",
  "@HOURLY": "0 * * * *",
};

class Unreadable extends Error {}

export function readCron(text: string): CronFields | null {
  const found = parsed(text);
  return found instanceof Unreadable ? null : found;
}

// What is wrong with the expression; null for a valid one.
export function cronFault(text: string): string | null {
  const found = parsed(text);
  return found instanceof Unreadable ? found.message : null;
}

function parsed(text: string): CronFields | Unreadable {
  const upper = text.trim().toUpperCase();
  const words = (macros[upper] ?? upper).split(/[ \t]+/);
  if (words.length === 5) words.unshift("0");
  const [seconds = "", minutes = "", hours = "", days = "", months = "", week = ""] = words;
  if (words.length !== 6) {
    return new Unreadable("Enter minute, hour, day of the month, month and day of the week; seconds can come first.");
  }
  try {
    return {
      seconds: spansOf(second, seconds),
      minutes: spansOf(minute, minutes),
      hours: spansOf(hour, hours),
      monthDays: isAny(days) ? null : days.split(",").map(monthDayOf),
      months: spansOf(month, months),
      weekDays: isAny(week) ? null : week.split(",").map(weekDayOf),
    };
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

function isAny(text: string): boolean {
  return text === "*" || text === "?";
}

function spansOf(kind: Kind, text: string): Span[] {
  return text.split(",").map((item) => spanOf(kind, item));
}

function unreadable({ name }: Kind, text: string): Unreadable {
  return new Unreadable(`${name} has an invalid value: ${text}`);
}

function numberOf(name: string, text: string, low: number, high: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (!(value >= low && value <= high)) throw new Unreadable(`${name} must be ${low}–${high}`);
  return value;
}

function valueOf(kind: Kind, text: string): number {
  const named = kind.names?.indexOf(text) ?? -1;
  return named >= 0 ? named + kind.low : numberOf(kind.name, text, kind.low, kind.high);
}

// "*", "5", "1-5", "MON-FRI", each optionally with "/2"; "5/15" extends to the end.
function spanOf(kind: Kind, text: string): Span {
  const [range = "", stepText, ...more] = text.split("/");
  const step = stepText === undefined ? 1 : numberOf(`${kind.name} step`, stepText, 1, kind.high);
  if (more.length > 0) throw unreadable(kind, text);
  if (range === "*") return { from: kind.low, to: kind.high, step, isAny: true };
  const [low = "", high, ...rest] = range.split("-");
  const from = valueOf(kind, low);
  const to = high !== undefined ? valueOf(kind, high) : stepText === undefined ? from : kind.high;
  if (rest.length > 0 || from > to) throw unreadable(kind, text);
  return { from, to, step, isAny: false };
}

function monthDayOf(item: string): MonthDay {
  if (item === "LW") return { kind: "last-weekday" };
  if (item === "L") return { kind: "before-last", days: 0 };
  if (item.startsWith("L-"))
    return { kind: "before-last", days: numberOf("Days before the last day", item.slice(2), 0, 30) };
  if (item.endsWith("W")) return { kind: "nearest", day: valueOf(monthDay, item.slice(0, -1)) };
  return { kind: "days", span: spanOf(monthDay, item) };
}

function weekDayOf(item: string): WeekDay {
  const [day = "", nth, ...more] = item.split("#");
  if (more.length > 0) throw unreadable(weekDay, item);
  if (nth !== undefined)
    return { kind: "nth", day: valueOf(weekDay, day) % 7, nth: numberOf("Week of the month", nth, 1, 5) };
  if (item.length > 1 && item.endsWith("L")) return { kind: "last", day: valueOf(weekDay, item.slice(0, -1)) % 7 };
  return { kind: "days", span: spanOf(weekDay, item) };
}

export function valuesOf(spans: Span[]): number[] {
  const values = new Set<number>();
  for (const { from, to, step } of spans) for (let value = from; value <= to; value += step) values.add(value);
  return [...values].sort((a, b) => a - b);
}
